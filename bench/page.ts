/**
 * The live page of a large batch: `npm run bench:page [-- ROWS …]`, by default 100 and 1,000,000. Fills a ledger with
 * ended rows, opens `voxbatch page` over it in a browser (`TEST_BROWSER`, default Debian's Chromium), and prints how
 * long the page takes, at the first load of a new browser and later, and the server's memory and CPU. For comparison,
 * it prints how long a new browser takes for an empty page. At the end it measures what an open tab costs a running
 * batch. Linux.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser } from './chromium.ts';
import { makeFinishedBatch } from './finished-batch.ts';
import { measureRunningBatch } from './page/running-batch.ts';
import { BATCH } from './prefill.ts';
import { usageOf } from './processes.ts';

const CLI = resolve(import.meta.dirname, '..', 'dist', 'starters', 'cli.js');
const BROWSERS = 3;
const given = process.argv.slice(2).map(Number);

for (const rows of given.length > 0 ? given : [100, 1_000_000]) {
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-page-'));
  try {
    await mkdir(join(folder, 'home'));
    await makeFinishedBatch(join(folder, 'home', 'ledger.db'), rows);
    console.log(`${rows.toLocaleString('en')} rows`);
    for (let at = 0; at < BROWSERS; at += 1) await measurePage(folder, rows);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
await measureRunningBatch(CLI);

/** Measures one run of the command with one new browser. */
async function measurePage(folder: string, rows: number): Promise<void> {
  const env = { ...process.env, VOXBATCH_HOME: join(folder, 'home') };
  const child = spawn(process.execPath, [CLI, 'page', BATCH], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const empty = createServer((_, response) => response.end('<!doctype html><title>empty</title><h1>empty</h1>'));
  const browser = await openBrowser();
  try {
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    const before = memoryOf(child);
    await once(empty.listen(0, '127.0.0.1'), 'listening');
    const tab = await browser.newPage({ bypassCSP: true });
    await tab.goto('about:blank');
    await tab.goto(`http://127.0.0.1:${String((empty.address() as AddressInfo).port)}/`);
    const nothing = await paint(tab);
    const other = await openBrowser();
    try {
      const first = await other.newPage({ bypassCSP: true });
      await first.goto('about:blank');
      console.log(
        `  new browser: ${await load(first, printed.toString().trim())}; an empty page is painted after ${ms(nothing)}`,
      );
      for (let at = 0; at < 2; at += 1) console.log(`  again: ${await load(first)}`);
      console.log(`  ${await measureQueries(first, rows)}`);
    } finally {
      await other.close();
    }
    console.log(
      `  server: ${before} MB, then ${memoryOf(child)} MB; ${ms(usageOf(child.pid ?? 0)?.cpuMs ?? 0)} of CPU in all`,
    );
  } finally {
    await browser.close();
    empty.close();
    child.kill('SIGINT');
    await once(child, 'exit');
  }
}

/**
 * Loads the page at an address, or reloads it. Returns times since the start of the navigation, by the browser's clock.
 */
async function load(tab: Page, address?: string): Promise<string> {
  await (address === undefined ? tab.reload({ waitUntil: 'commit' }) : tab.goto(address, { waitUntil: 'commit' }));
  const shown = (selector: string): Promise<number> =>
    timeIn(tab, `document.querySelector('${selector}') !== null && performance.now()`);
  const [figures, rows, chart] = await Promise.all([
    shown('.figures'),
    shown('table.rows tbody tr'),
    shown('.chart svg'),
  ]);
  return `painted ${ms(await paint(tab))}, figures ${ms(figures)}, rows ${ms(rows)}, chart ${ms(chart)}`;
}

/** Returns when something was painted first, in ms since the start of the navigation. */
async function paint(tab: Page): Promise<number> {
  return timeIn(tab, "performance.getEntriesByName('first-contentful-paint')[0]?.startTime");
}

/** Evaluates an expression in the page until it is truthy. Returns its value as a number. */
async function timeIn(tab: Page, expression: string): Promise<number> {
  const found = await tab.waitForFunction<unknown>(expression, undefined, { polling: 'raf' });
  return Number(await found.jsonValue());
}

/** Measures a filter, a search and opening a row, as a person does them. */
async function measureQueries(tab: Page, rows: number): Promise<string> {
  const lines = tab.locator('table.rows tbody tr');
  const took = async (act: () => Promise<unknown>, until: () => Promise<unknown>): Promise<string> => {
    const began = performance.now();
    await act();
    await until();
    return ms(performance.now() - began);
  };
  const failed = await took(
    () => tab.getByRole('link', { name: 'BadRequest' }).first().click(),
    () => tab.locator('table.rows tbody .back-succeeded').first().waitFor({ state: 'detached' }),
  );
  await tab.getByLabel('Outcome').selectOption('');
  await tab.locator('table.rows tbody .back-succeeded').first().waitFor();
  const rare = await took(
    () => tab.getByLabel('Any cell contains').fill(`line-${String(rows)}`),
    () => lines.nth(1).waitFor({ state: 'detached' }),
  );
  const row = await took(
    () => lines.first().locator('a').click(),
    () => tab.getByRole('dialog').getByText('Requests').waitFor(),
  );
  return `failed rows ${failed}; a text that one row has ${rare} (0.35 s of it for the typing to end); a row ${row}`;
}

/** Returns the resident memory of a process, MB. */
function memoryOf({ pid = 0 }: ChildProcess): string {
  return (usageOf(pid)?.residentMb ?? 0).toFixed(0);
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}
