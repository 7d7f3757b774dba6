import type { Move } from '../../contract/batch.ts';
import type { AttemptState } from '../../contract/outcomes.ts';
import { stepsIn, type RowSpec, type Step, type StepChoice } from '../../contract/row-kinds.ts';

/**
 * The row machine: decides what a row needs next, from its recorded attempts alone. Lanes call {@link nextMove} after
 * each claim and after each recorded answer.
 *
 * A row goes through the steps of its kind. A new take pays for a step and all later ones (`redoFrom`); the steps
 * before keep the results of an earlier take, and are ignored here. For the others only attempts of the current take
 * count, and of these only the last one, because an attempt is made only when all before it were certainly not
 * accepted:
 *
 * - no attempt yet: make attempt 1 of this take;
 * - `sending`: somebody may have sent it and died, so it must be reconciled;
 * - `not-accepted`, `revoked`: it was certainly not accepted, so the next attempt may be made;
 * - `unknown`: it may have been accepted; only reconciling, which never sends, can continue from here;
 * - `accepted`, its job not finished: wait; finished: the next step, or the row has ended;
 * - `done`, `cached`: the next step, or the row has ended;
 * - `rejected`, a failed job, or a result that failed a check: the row has ended.
 *
 * A row with `verify` has one more step, which transcribes the speech that an earlier one made (`after-check.ts`). A
 * person may accept a result as it is: then its take pays only for the row's own result (`redoFrom`).
 *
 * Attempts of an earlier take matter only as money, with two exceptions. While one of them is `sending`, nobody may
 * send for that step, so it is reconciled first. A person's new take needs a row that has ended, and a row does not end
 * while a request is in flight, so this is a second safeguard. And the row's result may be that of any take: if its
 * stored file is lost, or a person goes back to a take that has not brought it yet, its job is waited for before all
 * else.
 *
 * The transaction that records a job's failure also ends its row, or makes a new take. So a failed job in an open row
 * belongs to an earlier take; if a row waits for its job again, the job's end is removed from its record. Property
 * tests (`test/support/row-story`) check that every open row needs something.
 *
 * A row may use a voice that is not ready: another row of its batch makes it, or it is in training. The machine never
 * sees such a row: its state is `blocked`, so no claim selects it, and the transaction of an intent refuses it. The
 * database settles it with the row that makes the voice, in the same transaction: if that row succeeds, the voice's id
 * is written to the waiting row; otherwise the waiting row fails unpaid (`NoVoice`), and reopens as soon as the maker
 * does. A look at the API's list (`policy/voices/awaited-voice.ts`) then tells when training is over and frees the row,
 * which from then on is a row like any other. A row refused because its voice is not ready
 * (`policy/voices/unready-voice.ts`) is `blocked` again in the same way.
 *
 * A row in parts makes no request, so it never needs a move: its parts are rows with their own moves. The database
 * settles it with its parts, in the same transaction: it is `blocked` until all have ended, then ends like the gravest
 * of them, or is `fetching` if all have results. Whoever claims it then joins these (`activities/lane/join-row.ts`),
 * free.
 *
 * A row with an outcome has ended, whatever its attempts say. The machine never decides to send again after `sending`
 * or `unknown` of a take: that is the promise of one charge, as seen from the workflow.
 */

/** The part of an attempt that the machine needs. */
export interface AttemptView {
  readonly step: Step;
  readonly take: number;
  readonly attempt: number;
  readonly state: AttemptState;
  /** When its job ended, for an accepted one; null while it runs. */
  readonly finishedAt: number | null;
  /** Why it failed, including its job's failure; null if it did not. */
  readonly failure: object | null;
  /** Its result. Default: none. */
  readonly file?: object | null;
}

/** The part of a row that the machine needs. */
export interface RowView extends StepChoice {
  readonly row: number;
  readonly take: number;
  /** First step that the current take pays for; null for all steps. */
  readonly redoFrom: Step | null;
  /** The take that it goes back to. Default: none. */
  readonly returnedTo?: number | null;
  readonly ended: boolean;
  /** True if it is spoken in parts, which are separate rows. Default false. */
  readonly isInParts?: boolean;
}

/** Returns the part of a row's record that the machine needs, without `ended`. */
export function rowView({
  row,
  spec: { kind, verify },
  take,
  redoFrom,
  returnedTo = null,
  parts,
}: {
  readonly spec: Pick<RowSpec, 'kind' | 'verify'>;
  readonly parts: number | null;
} & Pick<RowView, 'row' | 'take' | 'redoFrom' | 'returnedTo'>): Omit<RowView, 'ended'> {
  return { row, kind, verify, take, redoFrom, returnedTo, isInParts: parts !== null };
}

/** Returns the next move of a row. `attempts`: all attempts of the row, of all takes, in any order. */
export function nextMove(row: RowView, attempts: readonly AttemptView[]): Move {
  if (row.ended || row.isInParts === true) return { type: 'ended' };
  const fetched = attempts.find((one) => isFetchedAgain(one) || (one.take === row.returnedTo && hasRunningJob(one)));
  if (fetched !== undefined) return { type: 'wait', at: placeOf(row, fetched) };
  for (const step of stepsFrom(row, row.redoFrom)) {
    const ofStep = attempts.filter((one) => one.step === step && one.take <= row.take);
    const before = ofStep.find((one) => one.take < row.take && one.state === 'sending');
    if (before !== undefined) return { type: 'reconcile', at: placeOf(row, before) };
    const last = lastAttempt(
      ofStep.filter((one) => one.take === row.take),
      step,
    );
    if (last === undefined) return { type: 'submit', at: placeOf(row, { step, take: row.take, attempt: 1 }) };
    const here = placeOf(row, last);
    switch (last.state) {
      case 'sending':
      case 'unknown':
        return { type: 'reconcile', at: here };
      case 'not-accepted':
      case 'revoked':
        return { type: 'submit', at: { ...here, attempt: last.attempt + 1 } };
      case 'accepted':
      case 'done':
      case 'cached':
        if (hasRunningJob(last)) return { type: 'wait', at: here };
        if (last.failure !== null) return { type: 'ended' };
        break;
      case 'rejected':
        return { type: 'ended' };
    }
  }
  return { type: 'ended' };
}

/** Whether an accepted attempt's job may still run. */
export function hasRunningJob({ state, finishedAt }: Pick<AttemptView, 'state' | 'finishedAt'>): boolean {
  return state === 'accepted' && finishedAt === null;
}

/** Whether an attempt's job is read again because its stored file is lost. */
export function isFetchedAgain(attempt: Pick<AttemptView, 'state' | 'finishedAt' | 'file'>): boolean {
  return hasRunningJob(attempt) && attempt.file != null;
}

/** Returns the last attempt of the last take of a step; undefined if there is none. */
export function lastAttempt<A extends Pick<AttemptView, 'step' | 'take' | 'attempt'>>(
  attempts: readonly A[],
  step: Step,
): A | undefined {
  let last: A | undefined;
  for (const one of attempts) {
    if (one.step !== step) continue;
    if (last === undefined || one.take > last.take || (one.take === last.take && one.attempt > last.attempt))
      last = one;
  }
  return last;
}

/** Returns the take that a row uses: its latest one, or the earlier one that a person returned to. */
export function presentTake({
  take,
  returnedTo,
}: {
  readonly take: number;
  readonly returnedTo?: number | null;
}): number {
  return returnedTo ?? take;
}

/**
 * Returns the attempt whose result a row's later steps use. `acceptedTake`: the take whose result a person accepted.
 */
export function usedAttempt<A extends Pick<AttemptView, 'step' | 'take' | 'attempt'>>(
  { acceptedTake }: { readonly acceptedTake: number | null },
  attempts: readonly A[],
  step: Step,
): A | undefined {
  const mine = acceptedTake === null ? attempts : attempts.filter(({ take }) => take === acceptedTake);
  return lastAttempt(mine, step);
}

/** Whether a step is the last one of the row. */
export function isLastStep(row: StepChoice, step: Step): boolean {
  return stepsIn(row).at(-1) === step;
}

/** Returns the steps of a row from this one on; all steps for null. */
export function stepsFrom(row: StepChoice, first: Step | null): readonly Step[] {
  const steps = stepsIn(row);
  return first === null ? steps : steps.slice(Math.max(0, steps.indexOf(first)));
}

function placeOf(
  { row }: RowView,
  { step, take, attempt }: Pick<AttemptView, 'step' | 'take' | 'attempt'>,
): Extract<Move, { at: unknown }>['at'] {
  return { row, step, take, attempt };
}
