import { chromium, type Browser } from 'playwright-core';

/** Starts a new browser with an empty profile: that of `TEST_BROWSER` (a path), by default Debian's Chromium. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env['TEST_BROWSER'] ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-audio-output'] });
}
