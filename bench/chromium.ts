import { chromium, type Browser } from 'playwright-core';

/** A browser of its own, with nothing kept from before: `TEST_BROWSER`, by default Debian's Chromium. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env['TEST_BROWSER'] ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-audio-output'] });
}
