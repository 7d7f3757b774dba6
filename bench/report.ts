/**
 * The report of a large batch: `npm run bench:report [-- ROWS …]`, by default 100,000 and 1,000,000. Fills a ledger
 * with ended rows, 3 % of them failed, with varying texts, and prints how long `voxbatch report` takes, its memory, the
 * size of the file, and how long Chromium (`TEST_BROWSER`, default `chromium`) takes to open it, up to its figures and
 * up to its rows. Linux.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openLedger } from '../ledger/open-ledger.ts';
import { ReportFile } from '../results/report/report-file.ts';
import { resultFields } from '../results/result-line.ts';
import { openBrowser } from './chromium.ts';
import { makeFinishedBatch } from './finished-batch.ts';
import { BATCH } from './prefill.ts';
import { usageOf } from './processes.ts';

const CLI = resolve(import.meta.dirname, '..', 'dist', 'starters', 'cli.js');
const BROWSERS = 3;
const given = process.argv.slice(2).map(Number);

for (const rows of given.length > 0 ? given : [100_000, 1_000_000]) {
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-report-'));
  try {
    const home = join(folder, 'home');
    await mkdir(home);
    await makeFinishedBatch(join(home, 'ledger.db'), rows);
    console.log(await measureScan(home));
    const none = await run(folder, ['status', BATCH]);
    const made = await run(folder, ['report', BATCH]);
    const path = join(folder, 'out', BATCH, 'report.html');
    const mb = (await stat(path)).size / 1e6;
    console.log(
      `${String(rows)} rows: written in ${made.ms} ms (status: ${none.ms} ms), ${made.peakMb} MB (status: ${none.peakMb} MB); ${mb.toFixed(1)} MB`,
    );
    for (let at = 0; at < BROWSERS; at += 1) console.log(`  opened: ${await measureOpening(path)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Measures what a report adds to the scan of all rows that is made at the end of a batch anyway. Returns a sentence.
 */
async function measureScan(home: string): Promise<string> {
  const ledger = await openLedger(join(home, 'ledger.db'));
  try {
    const batch = await ledger.findBatch(BATCH);
    if (batch === undefined) throw new Error('The ledger was not filled.');
    const options = { choice: 'full', hasTexts: true, folder: '', voxbatchVersion: 'bench' } as const;
    const scan = async (report?: ReportFile): Promise<number> => {
      const began = process.cpuUsage();
      for await (const scanned of ledger.scanRows(BATCH)) {
        const fields = resultFields(scanned, BATCH, `media/${scanned.row.id}.mp3`);
        await report?.add(scanned, fields);
      }
      await report?.seal({ standing: 'finished', notes: [], actions: [] }, await ledger.money(BATCH));
      await report?.publish();
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1_000;
    };
    await scan();
    const plain = await scan();
    const whole = await scan(await ReportFile.create(join(home, 'report.html'), batch, options));
    return `all rows are read in ${plain.toFixed(0)} ms of CPU, and with a report in ${whole.toFixed(0)} ms`;
  } finally {
    await ledger.close();
  }
}

/** Runs a command. Returns its duration and its peak memory. */
async function run(folder: string, args: readonly string[]): Promise<{ readonly ms: string; readonly peakMb: string }> {
  const env = { ...process.env, VOXBATCH_HOME: join(folder, 'home') };
  const began = performance.now();
  const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
  let peak = 0;
  const looking = setInterval(() => {
    peak = Math.max(peak, (child.pid === undefined ? undefined : usageOf(child.pid))?.peakMb ?? 0);
  }, 10);
  await once(child, 'exit');
  clearInterval(looking);
  return { ms: (performance.now() - began).toFixed(0), peakMb: peak.toFixed(0) };
}

/** Opens the report in a new browser. Returns the times as a sentence. */
async function measureOpening(path: string): Promise<string> {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto('about:blank');
    const began = performance.now();
    await page.goto(pathToFileURL(path).href, { waitUntil: 'commit' });
    await page.locator('h1').waitFor();
    const figures = performance.now() - began;
    await page.locator('table.rows tbody tr').first().waitFor();
    const first = performance.now() - began;
    await page.locator('section[aria-busy=false]').waitFor();
    const all = performance.now() - began;
    const typed = performance.now();
    await page.getByLabel('Any cell contains').fill('line-77777');
    await page.locator('table.rows tbody tr').nth(1).waitFor({ state: 'detached' });
    const search = performance.now() - typed;
    return `figures ${figures.toFixed(0)} ms, first rows ${first.toFixed(0)} ms, all rows ${all.toFixed(0)} ms; a search ${search.toFixed(0)} ms`;
  } finally {
    await browser.close();
  }
}
