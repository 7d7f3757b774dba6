import type { Failure } from '../../contract/failures.ts';
import { parseHalt } from '../../contract/halt.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RowEnding } from '../../ledger/rows/row-effects.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Counts } from '../../ledger/batches/counts.ts';
import { aBatch, aKey, aRow, fill, INTENT } from '../ledger/setup.ts';

export const ROWS = 6;
export const NO_CREDITS: Failure = { class: 'OutOfCredits', message: 'This request needs 12 credits and 3 are left.' };
const NO_TOKEN: Failure = { class: 'BadToken', message: 'The token is not known.' };
const REJECTED: RowEnding = { outcome: 'failed', failure: { class: 'BadRequest', message: 'No such voice.' } };

/** Makes batch `b` stand in some way. Where jobs run, it is that of row 1. */
export const STATES = {
  loading: async (ledger: Ledger) => {
    const loading = await ledger.createBatch(aBatch());
    await ledger.addRows(loading, [aRow(1)]);
  },
  untouched: (ledger: Ledger) => fill(ledger, ROWS),
  running: begin,
  paused: async (ledger: Ledger) => {
    await begin(ledger);
    await ledger.setControl('b', 'paused');
  },
  'out of credits': async (ledger: Ledger) => {
    await begin(ledger);
    await ledger.setControl('b', 'paused', NO_CREDITS);
  },
  'token refused': async (ledger: Ledger) => {
    await begin(ledger);
    await ledger.setControl('b', 'paused', NO_TOKEN);
  },
  stopping: async (ledger: Ledger) => {
    await begin(ledger);
    await ledger.setControl('b', 'stopping');
    await ledger.cancelRest('b');
  },
  halting: async (ledger: Ledger) => {
    await begin(ledger);
    await halt(ledger);
  },
  halted: async (ledger: Ledger) => {
    await fill(ledger, ROWS);
    await halt(ledger);
    await ledger.closeBatch('b');
  },
  finished: async (ledger: Ledger) => {
    await fill(ledger, ROWS);
    for (let row = 1; row <= ROWS; row++)
      await ledger.giveUp({ batch: 'b', row, step: 'speech', take: 1, attempt: 1 }, { outcome: 'succeeded' });
    await ledger.closeBatch('b');
  },
} satisfies Record<string, (ledger: Ledger) => Promise<void>>;

export type State = keyof typeof STATES;

async function begin(ledger: Ledger): Promise<void> {
  await fill(ledger, ROWS);
  await accept(ledger, 1);
}

/** A paid request of a row that made a job. */
export async function accept(ledger: Ledger, row: number): Promise<void> {
  await ledger.intend(aKey(row), INTENT);
  await ledger.settle(aKey(row), { verdict: 'accepted', jobId: `job-${row}` }, { state: 'processing' });
}

async function halt(ledger: Ledger): Promise<void> {
  const policy = parseHalt('soon,fail=1');
  if (policy === undefined) throw new Error('not a policy');
  await ledger.tune('b', { halt: policy });
  await ledger.intend(aKey(2), INTENT);
  await ledger.settle(aKey(2), { verdict: 'rejected' }, REJECTED);
}

/** What pause, resume and stop may change of a batch, and what it must not. */
export async function standing(ledger: Ledger): Promise<object> {
  const batch = await find(ledger);
  const { state, control, pauseReason, halted, settings } = batch;
  const { outcomes }: Counts = await ledger.counts('b');
  const ended = Object.fromEntries(Object.entries(outcomes).filter(([, rows]) => rows > 0));
  return { state, control, pauseReason, halted, settings, ended, running: (await ledger.runningJobs('b')).length };
}

/** A batch, which must be there. */
export async function find(ledger: Ledger, name = 'b'): Promise<BatchRecord> {
  const batch = await ledger.findBatch(name);
  if (batch === undefined) throw new Error(`Batch "${name}" is gone.`);
  return batch;
}
