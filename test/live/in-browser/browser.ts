import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { chromium, type Browser, type Page } from 'playwright-core';
import { endAfterTest } from '../../support/end-after-test.ts';
import { freshFolder } from '../../support/fresh-folder.ts';
import type { Running } from '../../support/live-command.ts';

const AXE = readFileSync(fileURLToPath(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8');

/** How long a tab waits for what it is to show, ms: a busy machine needs more than the half minute that is usual. */
const PATIENCE_MS = 180_000;

/** A browser that is closed after the test. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env['TEST_BROWSER'] ?? '';
  // What it keeps for its user and its sound is gone with it.
  const home = freshFolder();
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    XDG_RUNTIME_DIR: home,
    PULSE_RUNTIME_PATH: home,
    TMPDIR: home,
  };
  const browser = await chromium.launch({
    executablePath,
    env,
    timeout: PATIENCE_MS,
    args: ['--no-sandbox', '--disable-audio-output'],
  });
  endAfterTest(() => browser.close());
  return browser;
}

/** A tab whose scripts may not fail, and which loads nothing that its policy refuses. */
export async function openTab(browser: Browser): Promise<{ readonly tab: Page; readonly faults: string[] }> {
  const tab = await browser.newPage();
  tab.setDefaultTimeout(PATIENCE_MS);
  const faults: string[] = [];
  tab.on('pageerror', (error) => faults.push(error.message));
  tab.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  return { tab, faults };
}

/** The address of the page that a command has begun to print. */
export function pageOf({ child }: Running): Promise<string> {
  return new Promise((resolve) => {
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: string) => {
        printed += text;
        const [address] = /http:\S+ticket=\S+(?=\s)/.exec(printed) ?? [];
        if (address !== undefined) resolve(address);
      });
  });
}

/** What a person with another way of reading would stumble over, by light and by dark. */
export async function expectAccessible(tab: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await tab.emulateMedia({ colorScheme });
    const found = await tab.evaluate(`${AXE}; axe.run().then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`);
    expect([colorScheme, found]).toEqual([colorScheme, []]);
  }
}

const PICTURES = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));

/**
 * Takes a picture of what a person sees, for the docs, if `VOXBATCH_PICTURES=1` asks for it: fonts differ by machine, so that a
 * picture of each test run would be another one.
 */
export async function takePicture(tab: Page, name: string): Promise<void> {
  if (process.env['VOXBATCH_PICTURES'] !== '1') return;
  mkdirSync(PICTURES, { recursive: true });
  await tab.emulateMedia({ colorScheme: 'light' });
  await tab.setViewportSize({ width: 780, height: 470 });
  await tab.screenshot({ path: `${PICTURES}${name}.png` });
}
