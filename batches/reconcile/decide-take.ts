import { LedgerMisuse } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { DecisionRecord } from '../../ledger/record-types.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import type { RowTake } from '../rows/find-take.ts';
import { lastDecision } from './last-decision.ts';
import { nameOf } from '../rows/named-row.ts';
import { findUnresolved } from './settle-unknown.ts';
import type { SettledRow, SettleRefusal } from './settled-row.ts';

/** Takes back the job that a person gave to a row, or that its request was not charged. `who`: user and host, for the record. Free and repeatable. */
export async function releaseTake(
  ledger: Ledger,
  batch: string,
  { row, take }: RowTake,
  who: string,
): Promise<SettledRow> {
  const found = await ledger.readRow(batch, row);
  const last = lastDecision(await ledger.decisionsOf(batch, row), take ?? (found && presentTake(found.row)));
  const facts = { ...(found === undefined ? { row, id: '' } : nameOf(found.row)), jobId: last?.jobId ?? null };
  const why = last?.what === 'released' ? undefined : await tryReleasing(ledger, last, who);
  if (why !== undefined) return { ...facts, jobId: null, type: 'refused', why };
  return last?.jobId === null ? { ...facts, type: 'doubted', take: last.take } : { ...facts, type: 'released' };
}

/** Undefined if the decision was taken back. */
async function tryReleasing(
  ledger: Ledger,
  last: DecisionRecord | undefined,
  who: string,
): Promise<SettleRefusal | undefined> {
  if (last?.what !== 'adopted' && last?.what !== 'not-charged') return { type: 'not-adopted' };
  try {
    const isReleased = await ledger.decide(last, { type: 'released', jobId: last.jobId, who });
    return isReleased ? undefined : { type: 'not-adopted' };
  } catch (error) {
    if (!(error instanceof LedgerMisuse)) throw error;
    return { type: 'job-used', words: error.message };
  }
}

/**
 * Settles the request of an earlier take as not charged, because a person checked the account. `who`: user and host,
 * for the record. The row stays as it is.
 */
export async function settleNotCharged(
  ledger: Ledger,
  batch: string,
  { row, take }: RowTake,
  who: string,
): Promise<SettledRow> {
  const found = await ledger.readRow(batch, row);
  const facts = { ...(found === undefined ? { row, id: '' } : nameOf(found.row)), jobId: null };
  const refused = (type: 'take-not-in-doubt' | 'current-take' | 'answer-came'): SettledRow => {
    return { ...facts, type: 'refused', why: { type } };
  };
  const attempt = await findUnresolved(ledger, batch, row, take);
  if (attempt?.state !== 'unknown') return refused('take-not-in-doubt');
  if (found !== undefined && attempt.take === presentTake(found.row)) return refused('current-take');
  const isSettled = await ledger.decide(attempt, { type: 'not-charged', who });
  return isSettled ? { ...facts, type: 'not-charged', take: attempt.take } : refused('answer-came');
}
