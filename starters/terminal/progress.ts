import { chosenOf, doneOf, endsOf, type EndWord, viewMoney } from '../../client/look/counts-view.ts';
import type { Step } from '../../contract/row-kinds.ts';
import type { Standing as Followed } from '../../client/look/follow.ts';
import type { Output } from './output.ts';
import { cutToWidth, oneLine } from './table.ts';
import { timeLeft, type Moment } from './time-left.ts';
import { clock, form, list, number, plural } from './words.ts';

/** A batch at one moment, with its row counts. */
export interface Standing extends Pick<Followed, 'counts' | 'money' | 'untold'>, Partial<Pick<Followed, 'reasons'>> {
  readonly batch: Pick<Followed['batch'], 'settings' | 'control'>;
}

/** Row outcomes in the progress line, in its order: shown always, or once there are any. */
const ALWAYS: readonly EndWord[] = ['failed', 'unknown'];
const IF_ANY: readonly EndWord[] = ['unfit', 'skipped', 'overdue', 'cancelled'];

/** `12/30 done, 6 running, 1 failed, 0 unknown, 340 of 500 credits, 0:12 left` */
function progressLine(
  { batch, counts, money, untold = [], reasons = [] }: Standing,
  remainingMs: number | undefined,
): string {
  const { states } = counts;
  const total = chosenOf(counts);
  const done = doneOf(counts);
  const { running } = openRows(counts);
  const { budget } = batch.settings;
  const ends = new Map(endsOf(counts));
  const charged = `${viewMoney(money, budget).isEstimate ? '~' : ''}${number(money.charged)}`;
  const credits = budget === null ? `${charged} credits` : `${charged} of ${number(budget)} credits`;
  const parts = [
    `${String(done)}/${String(total)} done`,
    `${String(running)} running`,
    ...ALWAYS.map((word) => `${String(ends.get(word) ?? 0)} ${word}`),
    money.uncertain > 0 ? `${credits} (+${number(money.uncertain)} uncertain)` : credits,
  ];
  parts.push(...IF_ANY.flatMap((word) => (ends.has(word) ? [`${String(ends.get(word) ?? 0)} ${word}`] : [])));
  if (states.blocked > 0) parts.push(`${number(states.blocked)} waiting for a voice or their parts`);
  if (untold.length > 0) parts.push(untoldWords(untold));
  if (remainingMs !== undefined && done < total) parts.push(`${clock(remainingMs)} left`);
  // Last, because an API's message may be long: a terminal cuts the end of the line, and the money must stay visible.
  parts.push(...reasons.slice(0, 1).map(commonestWords));
  return parts.join(', ');
}

function openRows({ states }: Standing['counts']): { readonly running: number; readonly waiting: number } {
  const { submitting, processing, fetching, verifying, waiting, blocked } = states;
  return { running: submitting + processing + fetching + verifying, waiting: waiting + blocked };
}

type Reason = Followed['reasons'][number];

/** `few at once until it is known what speech costs`: why a batch with a budget starts slowly. */
export function untoldWords(steps: readonly Step[]): string {
  return `few at once until it is known what ${list(steps)} ${form(steps.length, 'costs', 'cost')}`;
}

/**
 * `most common failure 403 from cdn.example (400 rows)`: beside the counts, it must not look like one more of them.
 * While no row has ended by it, none may.
 */
function commonestWords({ class: name, cause, open, ended }: Reason): string {
  const rows = plural(open + ended, 'row');
  const words = oneLine(cause === '' ? name : cause);
  return ended === 0 ? `most common trouble ${words} (${rows}, going on)` : `most common failure ${words} (${rows})`;
}

/** `400 failed: 403 from cdn.example`; open rows count with what last went wrong with them. */
export function reasonWords({ class: name, cause, open, ended }: Reason): string {
  return `${number(open + ended)} ${ended === 0 ? 'failing' : 'failed'}: ${oneLine(cause === '' ? name : cause)}`;
}

/** Without a terminal, a line at most this often, ms. */
const PLAIN_EVERY_MS = 5_000;

/** A line on stderr that changes: redrawn in its place on a terminal, printed every few seconds elsewhere. */
export class ProgressLine {
  readonly #output: Output;
  #shownAt = -Infinity;
  #shown = '';
  /** What is drawn on the terminal has no end of line yet. */
  #isDrawn = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** `final`: nothing follows, so the line is always shown and stays. */
  show(line: string, final = false): void {
    if (this.#output.isQuiet === true) return;
    const now = performance.now();
    if (this.#output.isTerminal) {
      const width = process.stderr.columns;
      process.stderr.write(`\r\u001b[2K${width > 0 ? cutToWidth(line, width - 1) : line}`);
      this.#isDrawn = true;
      if (final) this.end();
    } else if (line !== this.#shown && (final || now - this.#shownAt >= PLAIN_EVERY_MS)) {
      this.#output.say(line);
      this.#shownAt = now;
      this.#shown = line;
    }
  }

  /** Clears the line for a message between two redraws. */
  interrupt(): void {
    if (this.#output.isTerminal) process.stderr.write('\r\u001b[2K');
    this.#isDrawn = false;
  }

  /** Ends drawing: the last line stays, with a line break. */
  end(): void {
    if (this.#isDrawn) process.stderr.write('\n');
    this.#isDrawn = false;
  }
}

/** Moments that are kept, of two a second. */
const MOST_SEEN = 2_000;

/** Shows the progress of a batch. */
export class ProgressDisplay {
  readonly #line: ProgressLine;
  readonly #startedAt = performance.now();
  /** When rows ended, with how many there were. */
  #seen: readonly Moment[] = [];

  constructor(output: Output) {
    this.#line = new ProgressLine(output);
  }

  show(standing: Standing, final = false): void {
    const done = doneOf(standing.counts);
    const nowMs = performance.now() - this.#startedAt;
    if (this.#seen.at(-1)?.done !== done) this.#seen = [...this.#seen.slice(-MOST_SEEN), { atMs: nowMs, done }];
    // A paused or stopped batch has no remaining time: it continues only by request, or never.
    const { control, settings } = standing.batch;
    const open = { ...openRows(standing.counts), rate: settings.limits.rate };
    const left = control === 'running' ? timeLeft(this.#seen, nowMs, open) : undefined;
    this.#line.show(progressLine(standing, left), final);
  }

  /** Clears the line for a message between two redraws. */
  interrupt(): void {
    this.#line.interrupt();
  }

  /** Nothing follows. */
  end(): void {
    this.#line.end();
  }
}
