import { byItself, type ActionKind } from '../../contract/actions.ts';
import type { Failure } from '../../contract/failures.ts';
import { defined } from '../../contract/defined.ts';
import { hasResult, type Outcome, type TakeReason } from '../../contract/outcomes.ts';
import { resultStepOf, stepsIn, type Step } from '../../contract/row-kinds.ts';
import { betterFallback } from '../../policy/rows/best-take.ts';
import { attemptToAccept, findUnresolved, isMade, jobToWaitFor } from '../../policy/redrive/redrive.ts';
import { isLastStep } from '../../policy/rows/row-machine.ts';
import { reopenBatch } from '../batches/change-batches.ts';
import { requireReopenable } from '../batches/read-batches.ts';
import { withJob } from '../cache/kept-results.ts';
import { LedgerMisuse } from '../errors.ts';
import { noteAction } from '../history/actions.ts';
import { goBack, type Return } from './go-back.ts';
import { giveUpLost, loseFile, restoreFile } from './lost-files.ts';
import { type NewRow, toRow } from '../rows/row-records.ts';
import { toFailure, toFile } from '../records.ts';
import { type Fallback, toFallback } from '../rows/row-effects.ts';
import { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { ChargeLine, Db, Tx } from '../schema.ts';
import { write } from '../database/transactions.ts';
import { areAllThere } from '../parts/end-split-row.ts';
import { makeTake } from './takes.ts';

/*
 * Redrives: a person has ended rows run again, in a new *take* (a deliberate new try, at a new price), or settles them
 * for free, by waiting for a job again or accepting a result.
 */

/** One row that a person wants to run again. */
export interface RedriveChoice {
  readonly row: number;
  /** The take that the person saw, and how it had ended; a row that has moved on since is left alone. */
  readonly take: number;
  readonly outcome: Outcome;
  /**
   * `pay`: makes a new take, from `fromStep` on. `wait`: waits for its job again, free (a row that ended `overdue`); if
   * the result has arrived since, or the lost file is back (`restored`), the row ends `succeeded` at once. `accept`:
   * accepts its result as it is, free: the row ends `succeeded`, or continues with its later steps; with `earlier`, it
   * ends with the result of that take.
   */
  readonly how:
    | {
        readonly type: 'pay';
        readonly fromStep: Step;
        readonly reason: Extract<TakeReason, 'redrive' | 'edited' | 'resubmitted'>;
        /** The row's new input. */
        readonly edited?: Pick<NewRow, 'spec' | 'input' | 'quoted'>;
      }
    | { readonly type: 'wait'; readonly restored?: true }
    | { readonly type: 'accept'; readonly earlier?: Return };
  /** Why the row ends because its stored result is missing or altered. Omitted if the file is intact. */
  readonly lost?: Failure;
  /**
   * Whether this is a part that lost its file while its split row still has the joined file: if the wait fails, both
   * return to their earlier endings. Default false.
   */
  readonly isJoined?: boolean;
}

/** What {@link redrive} has done, as row numbers. */
export interface Redriven {
  /** Rows that were reopened or settled at once. */
  readonly rows: readonly number[];
  /** Rows left alone because they have changed since the person looked. */
  readonly left: readonly number[];
}

type Pay = Omit<Extract<RedriveChoice['how'], { type: 'pay' }>, 'type'>;

/**
 * Reopens ended rows as a person chose, and with any of them the batch, even if it was stopped or halted. One
 * transaction: all choices or none. A new take of a row is made only once, even if several commands ask for it. Throws
 * {@link LedgerMisuse} for
 *
 * - a batch that is loading or being stopped;
 * - a row whose last request the API may have accepted, or whose job may still run, unless the choice is `resubmitted`;
 * - a `wait` without a job to wait for;
 * - an `accept` without a result that failed a check or lacks one.
 *
 * This is the only way to pay again for a request that the API may have accepted. So it checks that itself, whatever
 * its caller believed.
 */
export async function redrive(
  db: Db,
  batch: string,
  choices: readonly RedriveChoice[],
  by = byItself(null),
): Promise<Redriven> {
  const work = async (tx: Tx): Promise<Redriven> => {
    const { state } = await requireReopenable(tx, batch);
    const rows: number[] = [];
    const left: number[] = [];
    const done = new Map<ActionKind, number[]>();
    let opened = false;
    for (const choice of choices) {
      const row = await RowInTransaction.load(tx, { batch, row: choice.row });
      const isUnchanged = row.line.outcome === choice.outcome && row.line.take === choice.take;
      if (isUnchanged) {
        if (choice.lost !== undefined) await loseFile(row, choice.lost, unfitOf(row) ?? spareOf(row, choice));
        opened = (await open(row, choice.how, by.actor.name)) || opened;
        done.set(kindOf(choice), [...(done.get(kindOf(choice)) ?? []), choice.row]);
      }
      (isUnchanged ? rows : left).push(choice.row);
    }
    if (opened) await reopenBatch(tx, batch, state === 'closed');
    for (const [kind, some] of done) await noteAction(tx, by, { kind, batch, rows: some });
    return { rows, left };
  };
  return write(db, work, (tx) => choices.flatMap(({ row }) => RowInTransaction.prefetch(tx, { batch, row })));
}

/** The action on record for a choice. */
function kindOf({ how }: RedriveChoice): ActionKind {
  if (how.type === 'pay') return how.reason === 'resubmitted' ? 'resubmit' : 'redrive';
  return how.type === 'accept' ? 'accept' : 'redrive';
}

/** Carries out a choice. Returns whether the row was reopened; false if it was settled at once. */
async function open(row: RowInTransaction, how: RedriveChoice['how'], who: string): Promise<boolean> {
  if (row.line.parts !== null) return joinAgain(row, how);
  switch (how.type) {
    case 'wait':
      return how.restored === true ? restoreFile(row) : waitAgain(row);
    case 'accept':
      return how.earlier === undefined ? accept(row) : goBack(row, how.earlier, who);
    case 'pay':
      await payAgain(row, how);
      return true;
  }
}

/** Reopens a split row so that a worker joins its parts again, which must all have results. */
async function joinAgain(row: RowInTransaction, how: RedriveChoice['how']): Promise<boolean> {
  const { batch, row: number } = row.line;
  if (how.type !== 'wait' || !(await areAllThere(row.tx, batch, number))) {
    throw new LedgerMisuse(`Row ${number} of "${batch}" is spoken in parts; open these instead. No row was changed.`);
  }
  const now = row.tx.now();
  await row.change({ state: 'fetching', outcome: null, failure: null, updated_at: now, ended_at: null });
  await release(row);
  return true;
}

/** Begins a new take of a row that has ended. */
export async function payAgain(row: RowInTransaction, how: Pay): Promise<void> {
  const { line } = row;
  const spec = how.edited?.spec ?? row.spec;
  if (!stepsIn(spec).includes(how.fromStep))
    throw new LedgerMisuse(`Row ${line.row} of "${line.batch}" has no step ${how.fromStep}.`);
  const unresolved = findUnresolved(spec, how.fromStep, row.attempts);
  if (unresolved !== undefined && (unresolved.why === 'on-the-wire' || how.reason !== 'resubmitted')) {
    throw new LedgerMisuse(
      `The last ${unresolved.step} request of row ${line.row} of "${line.batch}" ${unresolved.why === 'on-the-wire' ? 'is still in flight' : 'may have been charged'}; ` +
        'it is paid for again only if you say so. No row was changed.',
    );
  }
  const givenUp = await giveUpLost(row);
  await makeTake(row, {
    reason: how.reason,
    fromStep: how.fromStep,
    before: {
      outcome: line.outcome,
      failure: toFailure(line.failure),
      file: toFile(line.file),
      extraFiles: toRow(line).extraFiles,
      ...defined({ givenUp }),
      ...(how.edited === undefined ? {} : { spec: toRow(line).spec, input: toRow(line).input }),
    },
    ...(how.edited === undefined ? { fallback: keptOf(row) } : { edited: how.edited }),
  });
  await release(row);
}

/** Returns the fallback of a new take: the row's present result, whether or not it passed. */
function keptOf(row: RowInTransaction): Fallback | undefined {
  const { outcome, file, extraFiles, text } = toRow(row.line);
  if (outcome === null || !hasResult(outcome) || file === null || file.removedAt !== undefined) return unfitOf(row);
  return { ending: { outcome, file, extraFiles, ...defined({ text: text ?? undefined }) }, error: 0 };
}

/** Returns the fallback of a row without a result that passed: its best result that did not. */
function unfitOf(row: RowInTransaction): Fallback | undefined {
  const { outcome, failure, file, extraFiles, text } = toRow(row.line);
  if (outcome !== null && hasResult(outcome)) return undefined;
  const kept = toFallback(row.line.fallback);
  if (outcome !== 'unfit' || file === null || kept?.ending.file?.key === file.key) return kept;
  const from = acceptableOf(row)?.take ?? row.line.take;
  const check = row.attempts.findLast(({ judgement, take }) => judgement !== null && take >= from);
  const besides = defined({ failure: failure ?? undefined, text: text ?? undefined, error: check?.judgement?.error });
  return betterFallback({ outcome, file, extraFiles, ...besides }, kept);
}

/** Returns the fallback of a part that its split row does not need: its present ending. */
function spareOf(row: RowInTransaction, { isJoined, how }: RedriveChoice): Fallback | undefined {
  const { outcome, file } = toRow(row.line);
  if (isJoined !== true || how.type !== 'wait' || outcome === null || file === null) return undefined;
  return { ending: { outcome, file }, error: 0 };
}

/** Waits for a row's job once more, or fetches its result, free. Returns whether the row was reopened. */
async function waitAgain(row: RowInTransaction): Promise<boolean> {
  const { line } = row;
  const job = jobToWaitFor(toRow(line), row.attempts);
  const charge = job === undefined ? undefined : row.chargeAt(job);
  if (job === undefined || charge === undefined) {
    throw new LedgerMisuse(`Row ${line.row} of "${line.batch}" has no job to wait for. No row was changed.`);
  }
  const now = row.tx.now();
  const hasResultNow = isMade(job);
  if (hasResultNow && isLastStep(row.spec, charge.step)) {
    await row.change({ outcome: 'succeeded', failure: null, file: charge.file, updated_at: now, ended_at: now });
    return false;
  }
  const state = hasResultNow ? 'waiting' : 'processing';
  await row.change({ state, outcome: null, failure: null, wait_since: now, updated_at: now, ended_at: null });
  await release(row);
  if (hasResultNow || charge.finished_at === null) return true;
  // The job has ended, but its result could not be fetched: the job counts as running again.
  await row.changeCharge(charge, { finished_at: null, failure: null, ...withJob(charge) });
  return true;
}

/**
 * Accepts a result that failed a check or could not be checked. Its step counts as succeeded and is not checked again;
 * later steps still follow. Returns whether the row was reopened for these.
 */
async function accept(row: RowInTransaction): Promise<boolean> {
  const { line } = row;
  const charge = acceptableOf(row);
  if (charge === undefined) {
    throw new LedgerMisuse(
      `Row ${line.row} of "${line.batch}" has no result to accept that failed a check or lacks one. No row was changed.`,
    );
  }
  if (charge.failure !== null) await row.changeCharge(charge, { failure: null });
  const now = row.tx.now();
  if (charge.step === resultStepOf(line)) {
    await row.change({ outcome: 'succeeded', failure: null, file: charge.file, updated_at: now, ended_at: now });
    return false;
  }
  const opened = { state: 'waiting', outcome: null, failure: null, file: null, ended_at: null } as const;
  // Only the last step is still needed: earlier ones are not repeated or checked again.
  const from = { redo_from: resultStepOf(line), accepted_take: charge.take };
  await row.change({ ...opened, ...from, fallback: null, updated_at: now });
  await release(row);
  return true;
}

/** Finds the attempt whose result a person may accept. */
function acceptableOf(row: RowInTransaction): ChargeLine | undefined {
  const found = attemptToAccept(toRow(row.line), row.attempts);
  return found === undefined ? undefined : row.chargeAt(found);
}

/** Frees the row from its lane, for the next claim, and resets its number of automatic takes. */
async function release(row: RowInTransaction): Promise<void> {
  await row.change({ lane: null, hold: row.line.hold + 1, auto_takes: 0 });
}
