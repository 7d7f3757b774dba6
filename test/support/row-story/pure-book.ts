import type { RowAttempt } from '../../../contract/batch.ts';
import type { AttemptState } from '../../../contract/outcomes.ts';
import { stepsIn, type Kind, type Step } from '../../../contract/row-kinds.ts';
import type { SettleVerdict } from '../../../ledger/requests/settle.ts';
import type { Retake, RowEffect, RowEnding } from '../../../ledger/rows/row-effects.ts';
import type { RedriveChoice } from '../../../ledger/takes/redrive.ts';
import type { RedriveAttempt } from '../../../policy/redrive/redrive.ts';
import { lastAttempt } from '../../../policy/rows/row-machine.ts';
import type { Book, JobEnd, RowNow } from './book.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Attempt = Writable<RedriveAttempt>;
type Row = Writable<Omit<RowNow, 'attempts'>> & { autoTakes: number; attempts: Attempt[] };

/** The rules of the ledger in memory, as short as they can be told; without money. */
export class PureBook implements Book {
  readonly #rows: Map<number, Row>;

  constructor(kinds: readonly Kind[]) {
    this.#rows = new Map(
      kinds.map((kind, index) => [
        index + 1,
        { row: index + 1, kind, take: 1, redoFrom: null, outcome: null, failure: null, autoTakes: 0, attempts: [] },
      ]),
    );
  }

  async look(row: number): Promise<RowNow> {
    return structuredClone(this.#row(row));
  }

  async intend(key: RowAttempt): Promise<'go' | 'blocked' | 'exists'> {
    const row = this.#row(key.row);
    if (!isNext(row, key)) return 'exists';
    if (row.outcome !== null || row.take !== key.take) return 'blocked';
    row.attempts.push(newAttempt(key, 'sending'));
    return 'go';
  }

  async revoke(key: RowAttempt): Promise<AttemptState> {
    const row = this.#row(key.row);
    if (key.take <= row.take && isNext(row, key)) row.attempts.push(newAttempt(key, 'revoked'));
    return this.#attempt(key)?.state ?? 'revoked';
  }

  async settle(key: RowAttempt, { verdict, jobId }: SettleVerdict, effect: RowEffect): Promise<boolean> {
    const attempt = this.#attempt(key);
    const isLate = attempt?.state === 'unknown' && verdict !== 'unknown';
    if (attempt === undefined || (attempt.state !== 'sending' && !isLate)) return false;
    attempt.state = verdict;
    attempt.jobId = jobId ?? null;
    attempt.finishedAt = verdict === 'done' ? 1 : null;
    const row = this.#row(key.row);
    if (row.take !== key.take) return true;
    const wasGivenUp =
      row.outcome === 'unknown' || (row.outcome === 'failed' && row.failure?.class === 'OutcomeUnknown');
    if (verdict !== 'unknown' && wasGivenUp) {
      row.outcome = null;
      apply(row, withoutRetake(effect));
    } else apply(row, effect);
    return true;
  }

  async finishJob(key: RowAttempt, { failure, file }: JobEnd, effect: RowEffect): Promise<boolean> {
    const attempt = this.#attempt(key);
    if (attempt?.state !== 'accepted' || attempt.finishedAt !== null) return false;
    attempt.finishedAt = 1;
    attempt.failure = failure ?? null;
    attempt.file = file ?? null;
    const row = this.#row(key.row);
    if (row.take !== key.take) return true;
    const late = withoutRetake(effect);
    if ('outcome' in late && row.outcome === 'overdue') {
      row.outcome = null;
      apply(row, late);
    } else apply(row, effect);
    return true;
  }

  async changeRunning(key: RowAttempt, ending: RowEnding): Promise<void> {
    const attempt = this.#attempt(key);
    const row = this.#row(key.row);
    if (attempt?.state === 'accepted' && attempt.finishedAt === null && row.take === key.take) apply(row, ending);
  }

  async giveUp(key: RowAttempt, ending: RowEnding | Retake): Promise<void> {
    const row = this.#row(key.row);
    const isOver = isNext(row, key) || this.#attempt(key)?.state === 'unknown';
    if (isOver && row.take === key.take) apply(row, ending);
  }

  async cancelRest(): Promise<void> {
    for (const row of this.#rows.values()) {
      const busy = stepsIn({ kind: row.kind }).some((step) => mayCount(lastAttempt(row.attempts, step)));
      if (!busy) apply(row, { outcome: 'cancelled' });
    }
  }

  async redrive({ row: number, take, outcome, how }: RedriveChoice): Promise<boolean> {
    const row = this.#row(number);
    if (row.outcome !== outcome || row.take !== take) return false;
    const steps = stepsIn({ kind: row.kind });
    if (how.type === 'wait') {
      const last = steps.map((step) => lastAttempt(row.attempts, step)).findLast((one) => one?.take === take);
      if (last?.state !== 'accepted') return false;
      last.finishedAt = null;
      last.failure = null;
      Object.assign(row, { outcome: null, failure: null, autoTakes: 0 });
      return true;
    }
    if (how.type === 'accept') {
      const kept = row.attempts.find(({ file }) => file != null && file.key === row.file?.key);
      if (row.outcome !== 'unfit' || kept === undefined) return false;
      kept.failure = null;
      const isLast = steps.at(-1) === kept.step;
      Object.assign(row, { outcome: isLast ? 'succeeded' : null, failure: null, ...(isLast ? {} : { autoTakes: 0 }) });
      return true;
    }
    const doubtful = steps
      .slice(steps.indexOf(how.fromStep))
      .map((step) => lastAttempt(row.attempts, step))
      .filter(mayCount);
    if (doubtful.some((one) => one?.state === 'sending')) return false;
    if (doubtful.length > 0 && how.reason !== 'resubmitted') return false;
    renew(row, how.fromStep);
    row.autoTakes = 0;
    return true;
  }

  #row(row: number): Row {
    const found = this.#rows.get(row);
    if (found === undefined) throw new Error(`There is no row ${row}.`);
    return found;
  }

  #attempt({ row, step, take, attempt }: RowAttempt): Attempt | undefined {
    return this.#row(row).attempts.find((one) => one.step === step && one.take === take && one.attempt === attempt);
  }
}

function newAttempt({ step, take, attempt }: RowAttempt, state: AttemptState): Attempt {
  return { step, take, attempt, state, jobId: null, finishedAt: null, failure: null };
}

/** True if nothing stands in the way of an attempt with this key. */
function isNext({ attempts }: Row, { step, take, attempt }: RowAttempt): boolean {
  const ofStep = attempts.filter((one) => one.step === step);
  const ofTake = ofStep.filter((one) => one.take === take);
  if (ofStep.some((one) => one.take > take || one.state === 'sending')) return false;
  if (ofTake.some(({ state }) => state !== 'not-accepted' && state !== 'revoked')) return false;
  return attempt === ofTake.length + 1;
}

/** True for a request that may still bring a charge or a result. */
function mayCount(one: Attempt | undefined): boolean {
  if (one?.state === 'sending' || one?.state === 'unknown') return true;
  return one?.state === 'accepted' && one.finishedAt === null;
}

function withoutRetake(effect: RowEffect): Exclude<RowEffect, Retake> {
  return 'retake' in effect ? effect.otherwise : effect;
}

function apply(row: Row, effect: RowEffect): void {
  if (row.outcome !== null) return;
  if ('retake' in effect) {
    if (row.autoTakes >= effect.most) {
      apply(row, effect.otherwise);
    } else {
      renew(row, effect.retake);
      row.autoTakes += 1;
    }
  } else if ('outcome' in effect) {
    row.outcome = effect.outcome;
    row.failure = effect.failure ?? null;
    row.file = effect.file ?? null;
  }
}

function renew(row: Row, from: Step): void {
  Object.assign(row, { take: row.take + 1, outcome: null, failure: null, file: null });
  row.redoFrom = stepsIn({ kind: row.kind })[0] === from ? null : from;
}
