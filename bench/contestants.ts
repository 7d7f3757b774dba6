import { stat, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Account } from './judge.ts';
import type { BenchProcess, TestBed } from './test-bed.ts';

/** A program that processes the rows, one way or another. */
export interface Contestant {
  /** Short label. */
  readonly label: string;
  /** Processes all rows while its worker is killed repeatedly. Returns what it reports about them at the end. */
  readonly run: (testBed: TestBed, limitMs: number) => Promise<Account>;
}

/** The compared programs, by name. The others are compared with the first. */
export const CONTESTANTS: Readonly<Record<string, Contestant>> = {
  voxbatch: { label: 'voxbatch, the compiled command line with a worker of its own', run: runVoxbatch },
  'one-activity': {
    label: 'Temporal: one activity a row creates, polls and downloads; default retries',
    run: temporalPeer('one-activity'),
  },
  'one-activity-keyed': {
    label: 'the same, with an Idempotency-Key header, of which the API knows nothing',
    run: temporalPeer('one-activity-keyed'),
  },
  'child-workflows': {
    label: 'Temporal: a child workflow a row, one activity creates and another polls; default retries',
    run: temporalPeer('child-workflows'),
  },
  script: {
    label: 'a script with p-limit, five tries a row, and files that are there are skipped',
    run: runScript,
  },
};

/** Runs `voxbatch run` beside a `voxbatch worker`, which is killed. */
async function runVoxbatch(testBed: TestBed, limitMs: number): Promise<Account> {
  const manifest = ['id,kind,text,voice', ...testBed.rows.map(({ id, text }) => `${id},tts,${text},narrator`)];
  await writeFile(join(testBed.folder, 'rows.csv'), `${manifest.join('\n')}\n`);
  // As often as the peers poll.
  await writeFile(
    join(testBed.folder, 'voxbatch.config.json'),
    JSON.stringify({ polling: { firstLookMs: 1_000, gapMs: 1_000 } }),
  );
  const worker = testBed.startVoxbatch(['worker']);
  const run = testBed.startVoxbatch(['run', 'rows.csv', '--name', 'bench', '--yes']);
  const isOver = await runUntilEnd(testBed, worker, run, limitMs);
  const results = join(testBed.folder, 'out', 'bench');
  const lines = (await readFile(join(results, 'results.jsonl'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
  const rows = lines.map((line) => JSON.parse(line) as Record<string, string>);
  const ids = (outcome: string): string[] =>
    rows.filter((row) => row['_outcome'] === outcome).map((row) => String(row['id']));
  const files = new Map(rows.map((row) => [String(row['id']), join(results, row['_file'] ?? '')]));
  return {
    delivered: await withFiles(ids('succeeded'), (id) => files.get(id) ?? ''),
    unknown: new Set(ids('unknown')),
    isOver,
  };
}

/** Runs a workflow of `peers/temporal/`, whose worker is killed. */
function temporalPeer(workflow: string): Contestant['run'] {
  return async (testBed, limitMs) => {
    const worker = testBed.startPeer('temporal/worker.ts');
    const starter = testBed.startPeer('temporal/start.ts', [workflow]);
    return accountOf(testBed, await runUntilEnd(testBed, worker, starter, limitMs));
  };
}

/** Runs `peers/script/`, which is killed itself. */
async function runScript(testBed: TestBed, limitMs: number): Promise<Account> {
  const script = testBed.startPeer('script/speak-all.ts');
  return accountOf(testBed, await runUntilEnd(testBed, script, script, limitMs));
}

/** Kills the process `victim` as often as planned. Returns whether `last` ends in time. */
async function runUntilEnd(
  testBed: TestBed,
  victim: BenchProcess,
  last: BenchProcess,
  limitMs: number,
): Promise<boolean> {
  const limit = new AbortController();
  const timeUp = pause(limitMs, 'time up', { signal: limit.signal }).catch(() => 'cancelled');
  const end = await Promise.race([
    Promise.all([testBed.killRepeatedly(victim), last.ended]).then(() => 'ended'),
    // It may end before all kills are done.
    last.ended.then(() => 'ended'),
    timeUp,
  ]);
  limit.abort();
  return end === 'ended';
}

/** Reports for a peer, by its result files. */
async function accountOf(testBed: TestBed, isOver: boolean): Promise<Account> {
  const ids = testBed.rows.map(({ id }) => id);
  const delivered = await withFiles(ids, (id) => join(testBed.folder, 'results', `${id}.mp3`));
  return { delivered, unknown: new Set(), isOver };
}

/** Returns the ids whose file is not empty. */
async function withFiles(ids: readonly string[], fileOf: (id: string) => string): Promise<Set<string>> {
  const sizes = await Promise.all(
    ids.map(async (id) => [id, (await stat(fileOf(id)).catch(() => undefined))?.size ?? 0] as const),
  );
  return new Set(sizes.filter(([, size]) => size > 0).map(([id]) => id));
}
