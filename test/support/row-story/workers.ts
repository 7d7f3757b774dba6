import { expect } from '@jest/globals';
import type { RowAttempt } from '../../../contract/batch.ts';
import type { Outcome, VerdictName } from '../../../contract/outcomes.ts';
import { makesJob, operationOf, type Kind, type StepChoice } from '../../../contract/row-kinds.ts';
import type { SettleVerdict } from '../../../ledger/requests/settle.ts';
import type { RowEffect } from '../../../ledger/rows/row-effects.ts';
import type { ResultFile } from '../../../ledger/records.ts';
import { afterJobFailed, afterUnknown } from '../../../policy/rows/new-take.ts';
import { afterResult } from '../../../policy/rows/after-result.ts';
import { isFetchedAgain, isLastStep, stepsFrom } from '../../../policy/rows/row-machine.ts';
import { afterCheck, checkedResult } from '../../../policy/verification/after-check.ts';
import type { RedriveAttempt } from '../../../policy/redrive/redrive.ts';
import type { Judgement } from '../../../contract/verify.ts';
import type { Book, RowNow } from './book.ts';
import type { Promises } from './promises.ts';
import { choiceOf, failureOf, isSame, nameOf, PRICE, type Rules, type Seen } from './rules.ts';

/** An attempt with what it brought. */
type Filed = RedriveAttempt & { readonly file: ResultFile | null };

const FOUND = { run: 9, words: 9, heard: 9, threshold: 0.25 } as const;

/** The same job always brings the same file. */
function fileOf(key: RowAttempt): ResultFile {
  return { key: `b/${nameOf(key)}.mp3`, bytes: 1, sha256: nameOf(key), extension: 'mp3' };
}

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
        const quotedRest = (stepsFrom(choiceOf(this.#rules, kind), key.step).length - 1) * PRICE;
        const answer = await this.#book.intend(key, { quoted: PRICE, quotedRest });
        if (answer === 'over-budget') this.#seen.skipped += 1;
        if (answer === 'go') {
          this.#promises.checkIntent(before, key);
          work.stage = 'send';
        }
        return answer === 'go' || answer === 'full' || answer === 'short';
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
        const check = verdict === 'done' ? this.#check(before, key, luck) : undefined;
        if (check === undefined) await this.#book.settle(key, record, this.#meaningOf(verdict, key, kind));
        else await this.#book.settle(key, { ...record, ...check.record }, check.effect);
        return false;
      }
    }
  }

  /** What a verification finds, with luck: nothing wrong. Undefined: the step is none. */
  #check(
    { kind, attempts }: RowNow,
    key: RowAttempt,
    luck: number,
  ): { readonly record: Partial<SettleVerdict>; readonly effect: RowEffect } | undefined {
    const choice = choiceOf(this.#rules, kind);
    const made = checkedResult<ResultFile, Filed>(
      { ...choice, acceptedTake: null },
      key.step,
      attempts as readonly Filed[],
    );
    if (made === undefined) return undefined;
    const error = luck < 30 ? 0 : luck / 60;
    const judgement: Judgement = { ...FOUND, is: error === 0 ? 'passed' : 'differs', error };
    if (error > 0) this.#seen.faults += 1;
    const { retakes } = this.#rules;
    const facts = { step: key.step, file: made.file, isFree: false, retakes, control: 'running' } as const;
    const { effect, failure } = afterCheck(choice, judgement, facts);
    const why = failure === undefined ? {} : { failure };
    return { record: { file: fileOf(key), judgement, ...why }, effect };
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
    const { kind, outcome, attempts } = await this.#book.look(key.row);
    const choice = choiceOf(this.#rules, kind);
    const failure = failureOf('JobFailed');
    const isAgain = attempts.some((one) => isFetchedAgain(one) && isSame({ ...one, row: key.row }, key));
    // The job is as it was, and so is what it brings.
    if (isAgain && luck % 6 < 5) return this.#fetchAgain(key, outcome, choice);
    const file = fileOf(key);
    switch (luck % 6) {
      case 4:
        await this.#book.finishJob(key, { failure }, afterJobFailed(this.#rules.retakes, 'running', key.step, failure));
        return false;
      case 2:
      case 3: {
        const { failure: unfit, effect } = afterResult(
          choice,
          key.step,
          { ...file, unfit: 'silent' },
          { retakes: this.#rules.retakes, control: 'running' },
        );
        await this.#book.finishJob(key, { failure: unfit, file: { ...file, unfit: 'silent' } }, effect);
        return false;
      }
      case 5:
        await this.#book.changeRunning(key, { outcome: 'overdue', failure: failureOf('Overdue') });
        return false;
      default: {
        await this.#book.finishJob(
          key,
          { file },
          afterResult(choice, key.step, file, { retakes: 0, control: 'running' }).effect,
        );
        return false;
      }
    }
  }

  /** A lost file comes again: its row has its result, as before, and nothing was paid for it. */
  async #fetchAgain(key: RowAttempt, before: Outcome | null, choice: StepChoice): Promise<boolean> {
    const file = fileOf(key);
    const { effect } = afterResult(choice, key.step, file, { retakes: 0, control: 'running' });
    await this.#book.finishJob(key, { file }, effect);
    const now = await this.#book.look(key.row);
    if (before === null || before === 'overdue')
      expect(now).toMatchObject({ outcome: 'succeeded', file: { key: file.key } });
    this.#seen.fetched += 1;
    return false;
  }

  #meaningOf(verdict: VerdictName, key: RowAttempt, kind: Kind): RowEffect {
    switch (verdict) {
      case 'accepted':
        return { state: 'processing' };
      case 'done':
        return isLastStep(choiceOf(this.#rules, kind), key.step) ? { outcome: 'succeeded' } : { state: 'waiting' };
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
