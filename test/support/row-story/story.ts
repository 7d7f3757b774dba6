import { expect } from '@jest/globals';
import { stepsIn } from '../../../contract/row-kinds.ts';
import type { RedriveChoice } from '../../../ledger/takes/redrive.ts';
import type { ResultFile } from '../../../ledger/records.ts';
import { hasResult } from '../../../contract/outcomes.ts';
import { attemptOfFile, lostFile } from '../../../policy/redrive/lost-file.ts';
import { planRedrive, type RedriveAttempt, type RedriveRequest } from '../../../policy/redrive/redrive.ts';
import { nextMove } from '../../../policy/rows/row-machine.ts';
import type { Book } from './book.ts';
import type { Command } from './any-story.ts';
import { lookAtAll, Promises } from './promises.ts';
import { choiceOf, NOTHING_SEEN, type Rules, type Seen } from './rules.ts';
import { Workers, type Work } from './workers.ts';

/**
 * Plays workflows, workers, the API and a person who follow no order: work is handed out twice, stands still at any
 * point, dies, or comes back when all is settled; answers are lost or late; the person asks with an old view. After
 * each step the promises of the row machine are checked against what the API really took.
 */
export class Story {
  readonly #book: Book;
  readonly #rules: Rules;
  readonly #promises: Promises;
  readonly #workers: Workers;
  readonly #choices: RedriveChoice[] = [];
  #works: Work[] = [];
  readonly seen: Seen = { ...NOTHING_SEEN };

  constructor(book: Book, rules: Rules) {
    this.#book = book;
    this.#rules = rules;
    this.#promises = new Promises(book, rules, this.seen);
    this.#workers = new Workers(book, rules, this.#promises, this.seen);
  }

  /** Credits of all requests that the API took. */
  get taken(): number {
    return this.#promises.taken;
  }

  /** Tells the whole story, then lets everything come to its end: every row must end, and stay as it ended. */
  async tell(commands: readonly Command[]): Promise<void> {
    await this.#promises.check();
    for (const command of commands) {
      const asked = await this.#perform(command);
      await this.#promises.check(asked);
    }
    await this.#comeToAnEnd();
    // Who comes back now finds everything settled.
    while (this.#works.length > 0) await this.#step(0, 0);
    await this.#promises.check();
    await this.#comeToAnEnd();
  }

  /** Returns the row that a person asked for. */
  async #perform(command: Command): Promise<number | undefined> {
    switch (command.type) {
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
        if (stepsIn(choiceOf(this.#rules, kind)).includes(step))
          this.#works.push({ what: 'submit', key, stage: 'begin' });
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
      case 'choose':
        await this.#choose(this.#rowOf(command.row), { resubmit: command.resubmit, accept: false });
        return undefined;
      case 'lose':
        return this.#ask(await this.#lose(this.#rowOf(command.row)));
      case 'accept':
        return this.#ask(await this.#choose(this.#rowOf(command.row), { resubmit: false, accept: true }));
      case 'ask':
        return this.#ask(this.#choices[command.nth % Math.max(1, this.#choices.length)]);
    }
  }

  async #choose(row: number, say: Pick<RedriveRequest, 'resubmit' | 'accept'>): Promise<RedriveChoice | undefined> {
    const { kind, outcome, failure, take, redoFrom, attempts, file = null } = await this.#book.look(row);
    const wish = { ...say, step: null, replace: false, edited: null };
    const spec = choiceOf(this.#rules, kind);
    const plan = planRedrive({ spec, outcome, failure, take, redoFrom, file }, attempts, wish);
    if (outcome === null || plan.type === 'leave' || plan.type === 'refuse') return undefined;
    const choice = { row, take, outcome, how: plan.type === 'pay' ? plan : { type: plan.type } };
    this.#choices.push(choice);
    return choice;
  }

  /** A person finds that the stored file of a row is lost, and asks for the row. */
  async #lose(row: number): Promise<RedriveChoice | undefined> {
    const { kind, outcome, take, redoFrom, attempts, file } = await this.#book.look(row);
    const brought = attemptOfFile(attempts as readonly (RedriveAttempt & { file?: ResultFile | null })[], file?.key);
    if (outcome === null || !hasResult(outcome) || brought === undefined) return undefined;
    const failure = lostFile('altered', brought);
    const without = attempts.map((one) => (one === brought ? { ...one, failure } : one));
    const wish = { step: null, resubmit: false, replace: true, accept: false, edited: null };
    const lost = { spec: choiceOf(this.#rules, kind), outcome: 'failed', failure, take, redoFrom } as const;
    const plan = planRedrive(lost, without, wish);
    // Every result of a story is of a job: it is never paid for a second time.
    expect(plan).toMatchObject({ type: 'wait', isAgain: true });
    return { row, take, outcome, how: { type: 'wait' }, lost: failure };
  }

  /** Returns the row that is open again, or has ended by it. */
  async #ask(choice: RedriveChoice | undefined): Promise<number | undefined> {
    if (choice === undefined || !(await this.#book.redrive(choice))) return undefined;
    if (choice.how.type === 'accept') this.seen.accepted += 1;
    // A take is made once, whoever asks again.
    if (choice.how.type === 'pay') expect(await this.#book.redrive(choice)).toBe(false);
    return choice.row;
  }

  async #handOut(row: number): Promise<void> {
    const now = await this.#book.look(row);
    const { verify } = choiceOf(this.#rules, now.kind);
    const move = nextMove({ ...now, verify, ended: now.outcome !== null }, now.attempts);
    if (move.type !== 'ended') {
      this.#works.push({ what: move.type, key: move.at, stage: 'begin' });
    } else if (now.outcome === null) {
      throw new Error(`Row ${row} is open and needs nothing: ${JSON.stringify(now)}`);
    }
  }

  async #step(nth: number, luck: number): Promise<void> {
    const work = this.#works[nth % Math.max(1, this.#works.length)];
    if (work === undefined) return;
    const goesOn = await this.#workers.step(work, luck);
    if (!goesOn) this.#works = this.#works.filter((one) => one !== work);
  }

  /** Hands out what every row needs, with good luck only, until all rows have ended. */
  async #comeToAnEnd(): Promise<void> {
    for (let round = 0; round < 40; round += 1) {
      const open = (await lookAtAll(this.#book, this.#rules)).filter(({ outcome }) => outcome === null);
      if (open.length === 0) return;
      for (const { row } of open) {
        const others = this.#works;
        this.#works = [];
        await this.#handOut(row);
        for (let step = 0; step < 4 && this.#works.length > 0; step += 1) await this.#step(0, 0);
        this.#works = others;
      }
      await this.#promises.check();
    }
    throw new Error(`Rows do not end: ${JSON.stringify(await lookAtAll(this.#book, this.#rules))}`);
  }

  #rowOf(number: number): number {
    return (number % this.#rules.kinds.length) + 1;
  }
}
