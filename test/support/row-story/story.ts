import { expect } from '@jest/globals';
import type { RowAttempt } from '../../../contract/batch.ts';
import type { Failure, FailureClass } from '../../../contract/failures.ts';
import type { AttemptState, UnknownPolicy, VerdictName } from '../../../contract/outcomes.ts';
import { operationOf, OPERATION_STYLE, ROW_KINDS, type Kind } from '../../../contract/row-kinds.ts';
import type { RedriveChoice, RowEffect, SettleVerdict } from '../../../ledger/ledger.ts';
import { afterJobFailed, afterUnknown } from '../../../workflows/policy/new-take.ts';
import { planRedrive } from '../../../workflows/policy/redrive.ts';
import { isLastStep, nextMove, stepsAfter } from '../../../workflows/policy/row-machine.ts';
import type { Book, RowNow } from './book.ts';
import type { Command } from './command.ts';

/** Credits of each request; the API of a story charges what is quoted. */
export const PRICE = 2;

/** How a story's batch is set. */
export interface Rules {
  readonly kinds: readonly Kind[];
  readonly onUnknown: UnknownPolicy;
  readonly retakes: number;
  /** Credits; null: without a bound. */
  readonly budget: number | null;
}

/** A piece of work that a worker carries; it stands still between two of its steps for as long as the story wants. */
interface Work {
  readonly what: 'submit' | 'reconcile' | 'wait';
  readonly key: RowAttempt;
  /** What it does next. */
  stage: 'begin' | 'send' | 'record' | 'give-up';
  /** The answer it has in hand. */
  verdict?: VerdictName;
}

/** A request that the API heard, and whether it took it. */
interface Sent {
  readonly key: RowAttempt;
  readonly taken: boolean;
}

const FINAL: readonly AttemptState[] = ['not-accepted', 'rejected', 'revoked', 'done'];

/**
 * Plays workflows, workers, the API and a person who follow no order: work is handed out twice, stands still at any point, dies,
 * or comes back when all is settled; answers are lost or late; the person asks with an old view. After each step the promises of
 * the row machine are checked against what the API really took.
 */
export class Story {
  readonly #book: Book;
  readonly #rules: Rules;
  readonly #sent: Sent[] = [];
  readonly #choices: RedriveChoice[] = [];
  #works: Work[] = [];
  #before: readonly RowNow[] = [];
  /** How often the story came by what it is about. */
  readonly seen = { sends: 0, lost: 0, newTakes: 0, late: 0, refused: 0 };

  constructor(book: Book, rules: Rules) {
    this.#book = book;
    this.#rules = rules;
  }

  /** Tells the whole story, then lets everything come to its end: every row must end, and stay as it ended. */
  async tell(commands: readonly Command[]): Promise<void> {
    this.#before = await this.#all();
    for (const command of commands) {
      const asked = await this.#perform(command);
      await this.#check(asked);
    }
    await this.#comeToAnEnd();
    // Who comes back now finds everything settled.
    while (this.#works.length > 0) await this.#step(0, 0);
    await this.#check();
    await this.#comeToAnEnd();
  }

  /** Returns the row that a person asked for. */
  async #perform(command: Command): Promise<number | undefined> {
    switch (command.do) {
      case 'hand-out':
        await this.#handOut(this.#rowOf(command.row));
        return undefined;
      case 'hand-out-again': {
        const work = this.#works[command.nth % Math.max(1, this.#works.length)];
        if (work !== undefined) this.#works.push({ what: 'reconcile', key: work.key, stage: 'begin' });
        return undefined;
      }
      case 'mislead': {
        const { step, take, attempt } = command;
        const { row, kind } = await this.#book.look(this.#rowOf(command.row));
        const key = { row, step, take, attempt };
        if (ROW_KINDS[kind].steps.includes(step)) this.#works.push({ what: 'submit', key, stage: 'begin' });
        return undefined;
      }
      case 'step':
        await this.#step(command.nth, command.luck);
        return undefined;
      case 'kill':
        this.#works.splice(command.nth % Math.max(1, this.#works.length), 1);
        return undefined;
      case 'cancel':
        await this.#book.cancelRest();
        return undefined;
      case 'choose': {
        const { kind, outcome, failure, take, redoFrom, attempts } = await this.#book.look(this.#rowOf(command.row));
        const wish = { step: null, resubmit: command.resubmit, replace: false, edited: null };
        const plan = planRedrive({ kind, outcome, failure, take, redoFrom }, attempts, wish);
        const row = this.#rowOf(command.row);
        if (plan.do === 'pay') this.#choices.push({ row, take, how: plan });
        if (plan.do === 'wait') this.#choices.push({ row, take, how: { do: 'wait' } });
        return undefined;
      }
      case 'ask': {
        const choice = this.#choices[command.nth % Math.max(1, this.#choices.length)];
        if (choice === undefined || !(await this.#book.redrive(choice))) return undefined;
        // A take is made once, whoever asks again.
        if (choice.how.do === 'pay') expect(await this.#book.redrive(choice)).toBe(false);
        return choice.row;
      }
    }
  }

  async #handOut(row: number): Promise<void> {
    const now = await this.#book.look(row);
    const move = nextMove({ ...now, ended: now.outcome !== null }, now.attempts);
    if (move.do !== 'ended') {
      this.#works.push({ what: move.do, key: move.at, stage: 'begin' });
    } else if (now.outcome === null) {
      await this.#book.endRow(row, { outcome: 'failed', failure: failureOf('JobFailed') });
    }
  }

  /** One step of a work; `luck` decides what it meets. */
  async #step(nth: number, luck: number): Promise<void> {
    const work = this.#works[nth % Math.max(1, this.#works.length)];
    if (work === undefined) return;
    const goesOn = await { submit: this.#submit, reconcile: this.#reconcile, wait: this.#wait }[work.what].call(
      this,
      work,
      luck,
    );
    if (!goesOn) this.#works = this.#works.filter((one) => one !== work);
  }

  async #submit(work: Work, luck: number): Promise<boolean> {
    const { key } = work;
    const before = await this.#book.look(key.row);
    const { kind } = before;
    switch (work.stage) {
      case 'begin': {
        const quotedRest = stepsAfter(kind, key.step).length * PRICE;
        const answer = await this.#book.intend(key, { quoted: PRICE, quotedRest });
        if (answer === 'over-budget') this.seen.refused += 1;
        if (answer === 'go') {
          checkIntent(before, key);
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
        const failure = failureOf(verdict === 'unknown' ? 'OutcomeUnknown' : 'Rejected');
        const was = before.attempts.find((one) => isSame({ ...one, row: key.row }, key));
        if (was?.state === 'unknown' && verdict !== 'unknown') this.seen.late += 1;
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
    const good = OPERATION_STYLE[operationOf(kind, key.step, 'job')] === 'job' ? 'accepted' : 'done';
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
    await this.#checkSend(key);
    this.#sent.push({ key, taken });
    this.seen.sends += 1;
    if (verdict === 'unknown') this.seen.lost += 1;
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
    const standing = async (): Promise<AttemptState | undefined> =>
      (await this.#book.look(key.row)).attempts.find((one) => isSame({ ...one, row: key.row }, key))?.state;
    if ((await standing()) === undefined) return false;
    if (await this.#book.settle(key, { verdict: 'unknown', failure }, ending)) return false;
    const { take } = await this.#book.look(key.row);
    if ((await standing()) === 'unknown' && take === key.take) await this.#book.endRow(key.row, ending);
    return false;
  }

  async #wait({ key }: Work, luck: number): Promise<boolean> {
    const { kind, outcome, take } = await this.#book.look(key.row);
    const failure = failureOf('JobFailed');
    switch (luck % 6) {
      case 4:
        await this.#book.finishJob(key, failure, afterJobFailed(this.#rules.retakes, 'running', key.step, failure));
        return false;
      case 5:
        if (outcome === null && take === key.take) {
          await this.#book.endRow(key.row, { outcome: 'overdue', failure: failureOf('Overdue') });
        }
        return false;
      default:
        await this.#book.finishJob(
          key,
          undefined,
          isLastStep(kind, key.step) ? { outcome: 'succeeded' } : { state: 'waiting' },
        );
        return false;
    }
  }

  #meaningOf(verdict: VerdictName, key: RowAttempt, kind: Kind): RowEffect {
    switch (verdict) {
      case 'accepted':
        return { state: 'processing' };
      case 'done':
        return isLastStep(kind, key.step) ? { outcome: 'succeeded' } : { state: 'waiting' };
      case 'rejected':
        return { outcome: 'failed', failure: failureOf('Rejected') };
      case 'unknown':
        // The list may know of a lost lip-sync job: that is looked up first.
        if (key.step === 'lip-sync') return { state: 'submitting' };
        return afterUnknown(this.#rules.onUnknown, 'running', key.step, { jobId: null }, failureOf('OutcomeUnknown'));
      default:
        return { state: 'waiting' };
    }
  }

  /** Hands out what every row needs, with good luck only, until all rows have ended. */
  async #comeToAnEnd(): Promise<void> {
    for (let round = 0; round < 40; round += 1) {
      const open = (await this.#all()).filter(({ outcome }) => outcome === null);
      if (open.length === 0) return;
      for (const { row } of open) {
        const others = this.#works;
        this.#works = [];
        await this.#handOut(row);
        for (let step = 0; step < 4 && this.#works.length > 0; step += 1) await this.#step(0, 0);
        this.#works = others;
      }
      await this.#check();
    }
    throw new Error(`Rows do not end: ${JSON.stringify(await this.#all())}`);
  }

  /** Right before a request goes out. */
  async #checkSend(key: RowAttempt): Promise<void> {
    const { attempts } = await this.#book.look(key.row);
    for (const { key: other, taken } of this.#sent) {
      if (other.row !== key.row || other.step !== key.step || other.take !== key.take) continue;
      const state = attempts.find((one) => isSame({ ...one, row: key.row }, other))?.state;
      expect({ key, other, taken, state }).toEqual({ key, other, taken: false, state: 'not-accepted' });
    }
  }

  /** After each command; `asked`: the row that a person opened by it. */
  async #check(asked?: number): Promise<void> {
    const rows = await this.#all();
    for (const [index, now] of rows.entries()) {
      const was = this.#before[index] ?? now;
      const isNew = now.take !== was.take;
      if (isNew) {
        expect(now.take).toBe(was.take + 1);
        this.seen.newTakes += 1;
        // Nobody but a person opens a row that has ended.
        if (asked !== now.row) expect(was.outcome).toBeNull();
      } else if (was.outcome !== null && now.outcome !== was.outcome && asked !== now.row) {
        const isLate = was.outcome === 'unknown' || was.failure?.class === 'OutcomeUnknown';
        expect(isLate || was.outcome === 'overdue').toBe(true);
      }
      for (const attempt of was.attempts) {
        const after = now.attempts.find((one) => isSame({ ...one, row: 0 }, { ...attempt, row: 0 }));
        if (FINAL.includes(attempt.state)) expect(after?.state).toBe(attempt.state);
      }
    }
    const taken = this.#sent.filter((one) => one.taken);
    expect(new Set(taken.map(({ key }) => `${key.row} ${key.step} ${key.take}`)).size).toBe(taken.length);
    if (this.#rules.budget !== null) expect(taken.length * PRICE).toBeLessThanOrEqual(this.#rules.budget);
    this.#before = rows;
  }

  #rowOf(number: number): number {
    return (number % this.#rules.kinds.length) + 1;
  }

  #all(): Promise<RowNow[]> {
    return Promise.all(this.#rules.kinds.map((_, index) => this.#book.look(index + 1)));
  }
}

/** What must be true of a row for a request to be allowed. */
function checkIntent({ outcome, take, attempts }: RowNow, key: RowAttempt): void {
  const ofStep = attempts.filter(({ step }) => step === key.step);
  const ofTake = ofStep.filter((one) => one.take === key.take);
  expect({ outcome, take, attempt: key.attempt }).toEqual({
    outcome: null,
    take: key.take,
    attempt: ofTake.length + 1,
  });
  expect(ofTake.filter(({ state }) => state !== 'not-accepted' && state !== 'revoked')).toEqual([]);
  expect(ofStep.filter(({ state }) => state === 'sending')).toEqual([]);
}

function failureOf(name: FailureClass): Failure {
  return { class: name, message: name };
}

function nameOf({ row, step, take, attempt }: RowAttempt): string {
  return `${row}-${step}-${take}-${attempt}`;
}

function isSame(one: RowAttempt, other: RowAttempt): boolean {
  return nameOf(one) === nameOf(other);
}
