/**
 * Peak memory of the commands that read all rows of a batch: `npm run bench:memory -- [ROWS…]`, by default 10,000 and
 * 300,000. Each command runs in its own process, on a batch whose rows have all ended; the system reports its peak
 * (VmHWM, Linux).
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { byItself } from '../contract/actions.ts';
import { BUILT_IN_PRICES } from '../contract/row-kinds.ts';
import { DEFAULT_TUNABLES } from '../contract/tunables.ts';
import { openManifest } from '../inputs/manifest-source.ts';
import type { ManifestOptions } from '../inputs/manifest-options.ts';
import { summarizeManifest } from '../inputs/read-manifest.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { findOrLoadBatch } from '../batches/load-batch.ts';
import { usageOf } from './processes.ts';

const CLI = resolve(import.meta.dirname, '..', 'dist', 'starters', 'cli.js');
const RUN_TYPESCRIPT = resolve(import.meta.dirname, '..', 'test', 'chaos', 'run-typescript.mjs');
/** Rows that share a media file: common file systems allow a few more hard links to one file. */
const ROWS_PER_FILE = 20_000;
/** Content of the media files. */
const CONTENT = Buffer.from('ID3 not really sound, and that is all the same here');

const OPTIONS: ManifestOptions = {
  defaults: {},
  map: {},
  strict: false,
  nameTemplate: '{id}.{ext}',
  prices: BUILT_IN_PRICES,
  tts: 'job',
};

// With the argument `load`, the process is the one that is measured while it loads a manifest.
const [node = ''] = process.argv;
if (process.argv[2] === 'load') await load(process.argv[3] ?? '');
else await measure(process.argv.slice(2).map(Number));

/** Measures all commands at these numbers of rows. */
async function measure(given: readonly number[]): Promise<void> {
  const sizes = given.length === 0 ? [10_000, 300_000] : given;
  const peaks = new Map<string, number[]>();
  for (const rows of sizes) {
    const folder = await mkdtemp(join(tmpdir(), 'voxbatch-memory-'));
    try {
      await writeManifest(folder, rows);
      const self = ['--import', RUN_TYPESCRIPT, import.meta.filename, 'load', folder];
      const commands: Readonly<Record<string, readonly string[]>> = {
        plan: [CLI, 'plan', 'lines.csv'],
        load: self,
        results: [CLI, 'results'],
        verify: [CLI, 'verify'],
        redrive: [CLI, 'redrive', 'lines', '--where', 'outcome=succeeded', '--yes'],
      };
      for (const [name, args] of Object.entries(commands)) {
        const begun = performance.now();
        const peak = await peakOf(args, folder);
        console.error(
          `${name}, ${rows} rows: ${peak.toFixed(0)} MB in ${((performance.now() - begun) / 1_000).toFixed(1)} s`,
        );
        peaks.set(name, [...(peaks.get(name) ?? []), peak]);
        if (name === 'load') await endAll(folder, rows);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  console.log(`peak MB at ${sizes.join(', ')} rows, and the last by the first:`);
  for (const [name, [first = 1, ...more]] of peaks) {
    const all = [first, ...more];
    console.log(
      `  ${name.padEnd(8)} ${all.map((peak) => peak.toFixed(0).padStart(5)).join(' ')}   × ${((all.at(-1) ?? first) / first).toFixed(2)}`,
    );
  }
}

/** Runs Node with these arguments in a folder. Returns its peak resident memory in MB. */
async function peakOf(args: readonly string[], folder: string): Promise<number> {
  const env = { ...process.env, VOXBATCH_HOME: join(folder, 'home') };
  const child = spawn(node, args, { cwd: folder, env, stdio: 'ignore' });
  let peak = 0;
  while (child.exitCode === null && child.signalCode === null) {
    peak = Math.max(peak, usageOf(child.pid ?? 0)?.peakMb ?? 0);
    await sleep(20);
  }
  // Exit code 5: no API is configured, as is the case here.
  if (child.exitCode !== 0 && child.exitCode !== 5)
    throw new Error(`${args.join(' ')} ended with ${String(child.exitCode)}`);
  return peak;
}

/** Writes a manifest with this many rows. */
async function writeManifest(folder: string, rows: number): Promise<void> {
  const file = createWriteStream(join(folder, 'lines.csv'));
  file.write('id,text,voice\n');
  for (let row = 1; row <= rows; row++) {
    const line = `line-${String(row)},"Sentence number ${String(row)} of a batch that is rather long, and goes on.",narrator\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}

/** Loads the manifest into a ledger, as `run` does. */
async function load(folder: string): Promise<void> {
  await mkdir(join(folder, 'home'), { recursive: true });
  const ledger = await openLedger(join(folder, 'home', 'ledger.db'));
  const source = await openManifest(join(folder, 'lines.csv'));
  const checked = await summarizeManifest(source, OPTIONS);
  await findOrLoadBatch({
    ledger,
    source,
    options: OPTIONS,
    identity: { name: 'lines', digest: checked.digest ?? '', apiUrl: 'https://api.example/api/open/v1', account: 'u' },
    settings: {
      reading: { kind: null, defaults: {}, map: {}, tts: 'job' },
      ...DEFAULT_TUNABLES,
      tts: 'job',
      prices: BUILT_IN_PRICES,
      nameTemplate: OPTIONS.nameTemplate,
      firstLookMs: 3_000,
      pollGapMs: 3_000,
      jobDeadlineMs: 7_200_000,
      trust503: true,
    },
    givesReading: false,
    givesTemplate: false,
    checked,
    by: byItself(null),
  });
  await source.close();
  await ledger.close();
}

/** Ends all rows with a stored result, as if they had been paid for. */
async function endAll(folder: string, rows: number): Promise<void> {
  await mkdir(join(folder, 'home', 'store', 'bench'), { recursive: true });
  const sha256 = createHash('sha256').update(CONTENT).digest('hex');
  for (let file = 0; file * ROWS_PER_FILE < rows; file++) {
    await writeFile(join(folder, 'home', 'store', 'bench', `${String(file)}.mp3`), CONTENT);
  }
  const db = new Database(join(folder, 'home', 'ledger.db'));
  const result = `json_object('key', 'bench/' || ((row - 1) / ${String(ROWS_PER_FILE)}) || '.mp3', 'bytes', ${String(CONTENT.length)}, 'sha256', '${sha256}', 'extension', 'mp3')`;
  db.exec(`
    insert into charges (batch, row, step, take, attempt, state, job_id, quoted, charged, charged_from, owner, intent_at, verdict_at, finished_at, file, damaged)
    select batch, row, 'speech', 1, 1, 'accepted', 'job-' || row, quoted, quoted, 'quote', 'w', 1, 1, 1, ${result}, 0 from rows;
    update rows set outcome = 'succeeded', ended_at = 1, file = ${result};
    update batches set state = 'closed', started_at = 1, closed_at = 1;`);
  db.close();
}
