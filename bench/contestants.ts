import { stat, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Account } from './judge.ts';
import type { Player, Stage } from './stage.ts';

/** One way to run the rows. */
export interface Contestant {
  /** Short description. */
  readonly words: string;
  /** Works through all rows while its workers are killed, and reports at the end what became of them. */
  readonly play: (stage: Stage, limitMs: number) => Promise<Account>;
}

/** All contestants, by name. The others are compared with the first. */
export const CONTESTANTS: Readonly<Record<string, Contestant>> = {
  voxbatch: { words: 'voxbatch, the compiled command line with a worker of its own', play: playVoxbatch },
  'one-activity': {
    words: 'Temporal: one activity a row creates, polls and downloads; default retries',
    play: temporalPeer('one-activity'),
  },
  'one-activity-keyed': {
    words: 'the same, with an Idempotency-Key header, of which the API knows nothing',
    play: temporalPeer('one-activity-keyed'),
  },
  'child-workflows': {
    words: 'Temporal: a child workflow a row, one activity creates and another polls; default retries',
    play: temporalPeer('child-workflows'),
  },
  script: { words: 'a script with p-limit, five tries a row, and files that are there are skipped', play: playScript },
};

async function playVoxbatch(stage: Stage, limitMs: number): Promise<Account> {
  const manifest = ['id,kind,text,voice', ...stage.rows.map(({ id, text }) => `${id},tts,${text},narrator`)];
  await writeFile(join(stage.folder, 'rows.csv'), `${manifest.join('\n')}\n`);
  // As often as the peers poll.
  await writeFile(
    join(stage.folder, 'voxbatch.config.json'),
    JSON.stringify({ polling: { firstLookMs: 1_000, gapMs: 1_000 } }),
  );
  const worker = stage.startVoxbatch(['worker']);
  const run = stage.startVoxbatch(['run', 'rows.csv', '--name', 'bench', '--yes']);
  const isOver = await playOut(stage, worker, run, limitMs);
  const results = join(stage.folder, 'out', 'bench');
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

function temporalPeer(workflow: string): Contestant['play'] {
  return async (stage, limitMs) => {
    const worker = stage.startPeer('temporal/worker.ts');
    const starter = stage.startPeer('temporal/start.ts', [workflow]);
    return accountOf(stage, await playOut(stage, worker, starter, limitMs));
  };
}

async function playScript(stage: Stage, limitMs: number): Promise<Account> {
  const script = stage.startPeer('script/speak-all.ts');
  return accountOf(stage, await playOut(stage, script, script, limitMs));
}

/** Kills one player until all kills are done; true if the other ends in time. */
async function playOut(stage: Stage, victim: Player, last: Player, limitMs: number): Promise<boolean> {
  const limit = new AbortController();
  const timeUp = pause(limitMs, 'time up', { signal: limit.signal }).catch(() => 'cancelled');
  const end = await Promise.race([
    Promise.all([stage.disturb(victim), last.ended]).then(() => 'ended'),
    // There is nothing left to kill, so its end counts.
    last.ended.then(() => 'ended'),
    timeUp,
  ]);
  limit.abort();
  return end === 'ended';
}

async function accountOf(stage: Stage, isOver: boolean): Promise<Account> {
  const ids = stage.rows.map(({ id }) => id);
  const delivered = await withFiles(ids, (id) => join(stage.folder, 'results', `${id}.mp3`));
  return { delivered, unknown: new Set(), isOver };
}

/** The ids that have a non-empty file. */
async function withFiles(ids: readonly string[], fileOf: (id: string) => string): Promise<Set<string>> {
  const sizes = await Promise.all(
    ids.map(async (id) => [id, (await stat(fileOf(id)).catch(() => undefined))?.size ?? 0] as const),
  );
  return new Set(sizes.filter(([, size]) => size > 0).map(([id]) => id));
}
