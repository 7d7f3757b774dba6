import type { RowAttempt } from '../../../contract/batch.ts';
import type { VerdictName } from '../../../contract/outcomes.ts';
import { makesJob, operationOf, type Kind } from '../../../contract/row-kinds.ts';
import type { SettleVerdict } from '../../../ledger/charge-methods.ts';
import type { RowEffect } from '../../../ledger/row-effects.ts';
import type { ResultFile } from '../../../ledger/record-types.ts';
import { afterJobFailed, afterUnknown } from '../../../policy/new-take.ts';
import { afterResult } from '../../../policy/after-result.ts';
import { isLastStep, stepsFrom } from '../../../policy/row-machine.ts';
import type { Book } from './book.ts';
import type { Promises } from './promises.ts';
import { failureOf, isSame, nameOf, PRICE, type Rules, type Seen } from './rules.ts';

const FILE: ResultFile = { key: 'b/1-speech-1.mp3', bytes: 1, sha256: 'ab', extension: 'mp3' };

/** A piece of work that a worker carries; it stands still between two of its steps for as long as the story wants. */
export interface Work {
  readonly what: 'submit' | 'reconcile' | 'wait';
  readonly key: RowAttempt;
  /** What it does next. */
  stage: 'begin' | 'send' | 'record' | 'give-up' | 'end';
  /** The answer it has in hand. */
  verdict?: VerdictName;
}

/** Workers of a story, and the API that they ask. */
export class Workers {
  readonly #book: Book;
  readonly #rules: Rules;
  readonly #promises: Promises;
  readonly #seen: Seen;

  constructor(book: Book, rules: Rules, promises: Promises, seen: Seen) {
    this.#book = book;
    this.#rules = rules;
    this.#promises = promises;
    this.#seen = seen;
  }

  /** One step of a work; `luck` decides what it meets. Returns whether the work goes on. */
  step(work: Work, luck: number): Promise<boolean> {
    switch (work.what) {
      case 'submit':
        return this.#submit(work, luck);
      case 'reconcile':
        return this.#reconcile(work);
      case 'wait':
        return this.#wait(work, luck);
    }
  }

  async #submit(work: Work, luck: number): Promise<boolean> {
    const { key } = work;
    const before = await this.#book.look(key.row);
    const { kind } = before;
    switch (work.stage) {
      case 'begin': {
        const quotedRest = (stepsFrom({ kind }, key.step).length - 1) * PRICE;
        const answer = await this.#book.intend(key, { quoted: PRICE, quotedRest });
        if (answer === 'over-budget') this.#seen.skipped += 1;
        if (answer === 'go') {
          this.#promises.checkIntent(before, key);
          work.stage = 'send';
        }
        return answer === 'go' || answer === 'full';
      }
      case 'send':
        work.verdict = await this.#send(key, kind, luck);
        work.stage = 'record';
        return true;
      default: {
        const verdict = work.verdict ?? 'unknown';
        const job = verdict === 'accepted' ? { jobId: nameOf(key) } : {};
        const failure = failureOf(verdict === 'unknown' ? 'OutcomeUnknown' : 'BadRequest');
        const was = before.attempts.find((one) => isSame({ ...one, row: key.row }, key));
        if (was?.state === 'unknown' && verdict !== 'unknown') this.#seen.late += 1;
        const record: SettleVerdict = {
          verdict,
          ...job,
          ...(verdict === 'accepted' || verdict === 'done' ? { credits: PRICE } : { failure }),
        };
        await this.#book.settle(key, record, this.#meaningOf(verdict, key, kind));
        return false;
      }
    }
  }

  /** What the API makes of a request, and what of that comes back. */
  async #send(key: RowAttempt, kind: Kind, luck: number): Promise<VerdictName> {
    // The process noticed that it had stood still.
    if (luck % 10 === 9) return 'not-accepted';
    const good = makesJob(operationOf({ kind }, key.step, 'job')) ? 'accepted' : 'done';
    const outcomes: readonly (readonly [VerdictName, boolean])[] = [
      [good, true],
      [good, true],
      [good, true],
      ['not-accepted', false],
      ['not-accepted', false],
      ['rejected', false],
      ['unknown', true],
      ['unknown', true],
      ['unknown', false],
    ];
    const [verdict, taken] = outcomes[luck % 10] ?? [good, true];
    await this.#promises.hear(key, taken);
    if (verdict === 'unknown') this.#seen.lost += 1;
    return verdict;
  }

  async #reconcile(work: Work): Promise<boolean> {
    const { key } = work;
    if (work.stage === 'begin') {
      const state = await this.#book.revoke(key);
      work.stage = 'give-up';
      return state === 'sending' || state === 'unknown';
    }
    const failure = failureOf('OutcomeUnknown');
    const ending = afterUnknown(this.#rules.onUnknown, 'running', key.step, { jobId: null }, failure);
    if (work.stage === 'give-up') {
      work.stage = 'end';
      const { attempts } = await this.#book.look(key.row);
      // What stands in the way is another attempt's record.
      if (!attempts.some((one) => isSame({ ...one, row: key.row }, key))) return false;
      return !(await this.#book.settle(key, { verdict: 'unknown', failure }, ending));
    }
    // Much may have happened since it heard that the attempt has its verdict.
    await this.#book.giveUp(key, ending);
    return false;
  }

  async #wait({ key }: Work, luck: number): Promise<boolean> {
    const { kind } = await this.#book.look(key.row);
    const failure = failureOf('JobFailed');
    switch (luck % 6) {
      case 4:
        await this.#book.finishJob(key, failure, afterJobFailed(this.#rules.retakes, 'running', key.step, failure));
        return false;
      case 2:
      case 3: {
        const { failure: unfit, effect } = afterResult(
          { kind },
          key.step,
          { ...FILE, unfit: 'silent' },
          { retakes: this.#rules.retakes, control: 'running' },
        );
        await this.#book.finishJob(key, unfit, effect);
        return false;
      }
      case 5:
        await this.#book.changeRunning(key, { outcome: 'overdue', failure: failureOf('Overdue') });
        return false;
      default: {
        await this.#book.finishJob(
          key,
          undefined,
          afterResult({ kind }, key.step, FILE, { retakes: 0, control: 'running' }).effect,
        );
        return false;
      }
    }
  }

  #meaningOf(verdict: VerdictName, key: RowAttempt, kind: Kind): RowEffect {
    switch (verdict) {
      case 'accepted':
        return { state: 'processing' };
      case 'done':
        return isLastStep({ kind }, key.step) ? { outcome: 'succeeded' } : { state: 'waiting' };
      case 'rejected':
        return { outcome: 'failed', failure: failureOf('BadRequest') };
      case 'unknown':
        // The list may know of a lost lip-sync job: that is looked up first.
        if (key.step === 'lip-sync') return { state: 'submitting' };
        return afterUnknown(this.#rules.onUnknown, 'running', key.step, { jobId: null }, failureOf('OutcomeUnknown'));
      default:
        return { state: 'waiting' };
    }
  }
}
