import { beforeEach } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AttemptKey, BatchSettings } from '../../contract/batch.ts';
import { NEVER_HALT } from '../../contract/halt.ts';
import {
  BUILT_IN_PRICES,
  OPERATIONS,
  ofEach,
  priceIn,
  type Kind,
  type RowSpec,
  type Step,
} from '../../contract/row-kinds.ts';
import { DEFAULT_TUNABLES } from '../../contract/tunables.ts';
import type { Claim } from '../../ledger/lanes/claims.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { TABLES, TABLES_OF } from '../../ledger/schema.ts';
import type { RedriveChoice, Redriven } from '../../ledger/takes/redrive.ts';
import type { NewBatch } from '../../ledger/batches/batch-records.ts';
import type { LoadedRow, NewRow } from '../../ledger/rows/row-records.ts';
import { inside } from './inside.ts';
import { openTestLedger } from '../support/open-test-ledger.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const SETTINGS: BatchSettings = {
  ...DEFAULT_TUNABLES,
  tts: 'job',
  reading: { kind: null, defaults: {}, map: {}, tts: 'job' },
  // Stated, not estimated: a budget then waits for no first charge.
  prices: ofEach(OPERATIONS, (operation) => ({ ...priceIn(BUILT_IN_PRICES, operation), estimate: false })),
  nameTemplate: '{id}.{ext}',
  firstLookMs: 3000,
  pollGapMs: 3000,
  jobDeadlineMs: 3_600_000,
  trust503: true,
  // Tests of earlier results ask for them in each intent.
  cache: 'off',
  halt: NEVER_HALT,
};

/** SQL that makes a ledger one of version 0.1, apart from what is on record about versions. */
export const DROP_LATER_TABLES = Object.keys(TABLES)
  .filter((name) => !(name in TABLES_OF['0.1']))
  .map((name) => `drop table ${name}`)
  .join('; ');

export const INTENT = { quoted: 2.5, quotedRest: 0, owner: 'w1', maxSending: 8 };

export function aBatch(name = 'b'): NewBatch {
  return {
    name,
    digest: 'd1',
    apiUrl: 'http://127.0.0.1/api/open/v1',
    account: 'u1',
    settings: SETTINGS,
    columns: ['id', 'text', 'voice'],
    source: 'b.csv',
  };
}

export function aRow(row: number, kind: Kind = 'tts'): NewRow {
  return {
    row,
    id: `r${row}`,
    line: row + 1,
    spec: { kind, text: `Row ${row}`, voice: 'v', extra: {} },
    input: [`r${row}`, `Row ${row}`, 'v'],
    quoted: 2.5,
  };
}

export function aKey(row: number, attempt = 1, take = 1, step: Step = 'speech'): AttemptKey {
  return { batch: 'b', row, step, take, attempt };
}

/** Takes a lane of the batch `b`, with what it had, and claims for it; what is not said is lane 1, of the same run, without bound. */
export async function claimAnew(
  into: Ledger,
  {
    batch = 'b',
    lane = 1,
    run = 'run',
    limit = 100,
  }: { readonly batch?: string; readonly lane?: number; readonly run?: string; readonly limit?: number } = {},
): Promise<Claim> {
  const lease = await into.acquireLane({ batch, lane, run, owner: `w${lane}` });
  const claim = await into.claimRows({ ...lease, limit });
  if (claim === 'lost') throw new Error('the lane was lost at once');
  return claim;
}

/** A folder of its own, for as long as a part of a test: see `freshFolder`. */
export async function makeFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-ledger-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Opens (or makes) the ledger in this folder. */
export function open(folder: string): Promise<Ledger> {
  return openTestLedger(join(folder, 'ledger.db'));
}

/** The ledger of the test that runs. */
export let ledger: Ledger;

/** Does this with a new ledger, which is that of the test meanwhile. */
export async function withLedger(work: () => Promise<void>): Promise<void> {
  const { folder, remove } = await makeFolder();
  ledger = await open(folder);
  try {
    await work();
  } finally {
    await ledger.close();
    await remove();
  }
}

/** Makes a new ledger before each test of a file, and does this with it. After the test, the ledger and its folder are gone. */
export function ledgerForEachTest(begin: () => unknown = () => undefined): void {
  beforeEach(async () => {
    const opened = await open(freshFolder());
    endAfterTest(() => opened.close());
    ledger = opened;
    await begin();
  });
}

/** 1, 2, … n. */
export function upTo(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i + 1);
}

/** Makes an open batch of this many rows. */
export async function fill(into: Ledger, rows: number, name = 'b', kind: Kind = 'tts'): Promise<void> {
  const loading = await into.createBatch(aBatch(name));
  await into.addRows(
    loading,
    upTo(rows).map((row) => aRow(row, kind)),
  );
  await into.openBatch(loading, rows);
}

interface LoadChange extends Partial<Omit<NewBatch, 'settings'>> {
  readonly settings?: Partial<BatchSettings>;
}

/** Makes an open batch of these rows, by default `b`, in the ledger of the test. */
export async function load(rows: number | readonly LoadedRow[], change: LoadChange = {}): Promise<void> {
  const batch = { ...aBatch(), ...change, settings: { ...SETTINGS, ...change.settings } };
  const given = typeof rows === 'number' ? upTo(rows).map((row) => aRow(row)) : rows;
  const loading = await ledger.createBatch(batch);
  await ledger.addRows(loading, given);
  await ledger.openBatch(loading, given.length);
}

/** A row whose speech is put to a video. */
export function aDub(row: number, more: Partial<RowSpec> = {}): NewRow {
  return {
    ...aRow(row),
    spec: { kind: 'dub', text: 'Hello.', voice: 'v', video: 'http://h/v.mp4', extra: {}, ...more },
  };
}

/** Texts as the parts of a row, of 1 credit each. */
export function partsOf(first: number, ...texts: readonly string[]): NonNullable<LoadedRow['parts']> {
  return { first, rows: texts.map((text) => ({ spec: { kind: 'tts', text, voice: 'v', extra: {} }, quoted: 1 })) };
}

/** A redrive by a person who has just looked at the rows. */
export async function redriveNow(
  ledger: Ledger,
  batch: string,
  choices: readonly Omit<RedriveChoice, 'outcome'>[],
): Promise<Redriven> {
  const seen = choices.map(async (choice): Promise<RedriveChoice> => {
    const found = await ledger.readRow(batch, choice.row);
    return { ...choice, outcome: found?.row.outcome ?? 'failed' };
  });
  return ledger.redrive(batch, await Promise.all(seen));
}

/** Ends a row as failed, however it stands. No way of the product leads there; the ledger looks for itself all the same. */
export async function endAnyhow(ledger: Ledger, row: number): Promise<void> {
  await inside(ledger, (db) =>
    db
      .updateTable('rows')
      .set({ outcome: 'failed', ended_at: 1 })
      .where('batch', '=', 'b')
      .where('row', '=', row)
      .execute(),
  );
}
