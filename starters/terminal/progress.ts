import type { Step } from '../../contract/row-kinds.ts';
import type { BatchRecord, Counts, Money, ReasonCount } from '../../ledger/record-types.ts';
import { isChargeEstimated } from '../../policy/money/budget.ts';
import { progressCounts } from './outcome-words.ts';
import type { Output } from './output.ts';
import { ProgressLine } from './progress-line.ts';
import { oneLine } from './table.ts';
import { form, list, number, plural } from './words.ts';

/** A batch at one moment, with its row counts. */
export interface Standing {
  readonly batch: Pick<BatchRecord, 'settings' | 'control'>;
  readonly counts: Counts;
  readonly money: Money;
  /** Steps of which few requests go at once, until one has told what the API charges. Default: none. */
  readonly untold?: readonly Step[];
  /** The most common reasons why rows failed, or fail now, the most common first. */
  readonly reasons?: readonly ReasonCount[];
}

/** `12/30 done, 6 running, 1 failed, 0 unknown, 340 of 500 credits, 0:12 left` */
function progressLine(
  { batch, counts, money, untold = [], reasons = [] }: Standing,
  remainingMs: number | undefined,
): string {
  const { states } = counts;
  const total = chosenOf(counts);
  const done = doneOf(counts);
  const running = states.submitting + states.processing + states.fetching + states.verifying;
  const { budget } = batch.settings;
  const charged = `${isChargeEstimated(money) ? '~' : ''}${number(money.charged)}`;
  const credits = budget === null ? `${charged} credits` : `${charged} of ${number(budget)} credits`;
  const parts = [
    `${String(done)}/${String(total)} done`,
    `${String(running)} running`,
    ...progressCounts(counts, 'always'),
    money.uncertain > 0 ? `${credits} (+${number(money.uncertain)} uncertain)` : credits,
  ];
  parts.push(...progressCounts(counts, 'if any'));
  if (states.blocked > 0) parts.push(`${number(states.blocked)} waiting for a voice or their parts`);
  if (untold.length > 0) parts.push(untoldWords(untold));
  if (remainingMs !== undefined && done < total) parts.push(`${clock(remainingMs)} left`);
  // Last, because it is as long as an API's words: a terminal cuts the end of the line, and the money must stay
  // visible.
  parts.push(...reasons.slice(0, 1).map(commonestWords));
  return parts.join(', ');
}

/** `few at once until it is known what speech costs`: why a batch with a budget is slow to begin. */
export function untoldWords(steps: readonly Step[]): string {
  return `few at once until it is known what ${list(steps)} ${form(steps.length, 'costs', 'cost')}`;
}

/**
 * `most common failure 403 from cdn.example (400 rows)`: beside the counts, it must not look like one more of them.
 * While no row has ended by it, none may.
 */
function commonestWords({ class: name, cause, open, ended }: ReasonCount): string {
  const rows = plural(open + ended, 'row');
  const words = oneLine(cause === '' ? name : cause);
  return ended === 0 ? `most common trouble ${words} (${rows}, going on)` : `most common failure ${words} (${rows})`;
}

/** `400 failed: 403 from cdn.example`; open rows count with what last went wrong with them. */
export function reasonWords({ class: name, cause, open, ended }: ReasonCount): string {
  return `${number(open + ended)} ${ended === 0 ? 'failing' : 'failed'}: ${oneLine(cause === '' ? name : cause)}`;
}

/** Chosen rows that have ended. */
export function doneOf({ outcomes, notChosen }: Counts): number {
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0) - notChosen;
}

/** Rows to run: all except those that `--limit` or `--sample` left out. */
export function chosenOf({ total, notChosen }: Counts): number {
  return total - notChosen;
}

/** If no row has ended for this many times the usual gap between two, the pace predicts nothing. */
const SILENT_GAPS = 5;

interface Session {
  /** Rows that ended in it. */
  readonly done: number;
  readonly elapsedMs: number;
  /** Since the last of them. */
  readonly silentMs: number;
}

/**
 * Remaining time, from the pace up to the last row that ended in this session, counted down since. Undefined before the
 * first row, after rows have stopped ending (for example, if the first were refused at once and the others wait for
 * their jobs), and after it has run out.
 */
export function remainingMs({ done, elapsedMs, silentMs }: Session, left: number): number | undefined {
  if (done === 0) return undefined;
  if (silentMs > (SILENT_GAPS * elapsedMs) / done) return undefined;
  const remaining = ((elapsedMs - silentMs) / done) * left - silentMs;
  return remaining < 0 ? undefined : remaining;
}

/** `1:05`, `2:00:09`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  return h > 0 ? `${String(h)}:${two(m)}:${two(s)}` : `${String(m)}:${two(s)}`;
}

/** Shows the progress of a batch. */
export class ProgressDisplay {
  readonly #line: ProgressLine;
  readonly #startedAt = performance.now();
  #doneAtStart: number | undefined;
  #doneBefore = 0;
  #lastEndMs = 0;

  constructor(output: Output) {
    this.#line = new ProgressLine(output);
  }

  show(standing: Standing, final = false): void {
    const done = doneOf(standing.counts);
    this.#doneAtStart ??= done;
    const elapsedMs = performance.now() - this.#startedAt;
    if (done !== this.#doneBefore) this.#lastEndMs = elapsedMs;
    this.#doneBefore = done;
    const session = { done: done - this.#doneAtStart, elapsedMs, silentMs: elapsedMs - this.#lastEndMs };
    // A paused or stopped batch continues when somebody says so, or not at all.
    const isGoing = standing.batch.control === 'running';
    const left = isGoing ? remainingMs(session, chosenOf(standing.counts) - done) : undefined;
    this.#line.show(progressLine(standing, left), final);
  }

  /** Makes room for a message between two drawings. */
  interrupt(): void {
    this.#line.interrupt();
  }

  /** Nothing follows. */
  end(): void {
    this.#line.end();
  }
}
