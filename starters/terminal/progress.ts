import type { BatchRecord, Counts, Money, ReasonCount } from '../../ledger/record-types.ts';
import type { Output } from './output.ts';
import { oneLine } from './table.ts';

/** Without a terminal, a line at most this often, ms. */
const PLAIN_EVERY_MS = 5_000;

/** A batch at a moment, with its counted rows. */
export interface Standing {
  readonly batch: Pick<BatchRecord, 'settings'>;
  readonly counts: Counts;
  readonly money: Money;
  /** The commonest reasons why rows failed, or fail now, the commonest first. */
  readonly reasons?: readonly ReasonCount[];
}

/** `12/30 done, 6 running, 1 failed, 0 unknown, 340 of 500 credits, 0:12 left` */
function progressLine({ batch, counts, money, reasons = [] }: Standing, remainingMs: number | undefined): string {
  const { outcomes, states, total } = counts;
  const done = doneOf(counts);
  const running = states.submitting + states.processing + states.fetching + states.verifying;
  const { budget } = batch.settings;
  const charged = `${money.estimated ? '~' : ''}${number(money.charged)}`;
  const credits = budget === null ? `${charged} credits` : `${charged} of ${number(budget)} credits`;
  const parts = [
    `${String(done)}/${String(total)} done`,
    `${String(running)} running`,
    `${String(outcomes.failed)} failed`,
    `${String(outcomes.unknown)} unknown`,
    ...reasons.slice(0, 1).map(reasonWords),
    money.uncertain > 0 ? `${credits} (+${number(money.uncertain)} uncertain)` : credits,
  ];
  if (outcomes.unfit > 0) parts.push(`${String(outcomes.unfit)} unfit`);
  if (outcomes.skipped > 0) parts.push(`${String(outcomes.skipped)} skipped`);
  if (outcomes.overdue > 0) parts.push(`${String(outcomes.overdue)} overdue`);
  if (outcomes.cancelled > 0) parts.push(`${String(outcomes.cancelled)} cancelled`);
  if (remainingMs !== undefined && done < total) parts.push(`${clock(remainingMs)} left`);
  return parts.join(', ');
}

/** `400 failed: 403 from cdn.example`; rows that still run count with what went wrong with them last. */
export function reasonWords({ class: name, cause, open, ended }: ReasonCount): string {
  return `${number(open + ended)} ${ended === 0 ? 'failing' : 'failed'}: ${oneLine(cause === '' ? name : cause)}`;
}

/** Rows that have ended. */
export function doneOf(counts: Counts): number {
  return Object.values(counts.outcomes).reduce((sum, count) => sum + count, 0);
}

/** Remaining time from the pace of this session; unknown before the first row ended in it. */
function remainingMs(session: { readonly done: number; readonly elapsedMs: number }, left: number): number | undefined {
  return session.done === 0 ? undefined : (session.elapsedMs / session.done) * left;
}

/** Credits as people write them: at most one decimal. */
export function number(value: number): string {
  return (Math.round(value * 10) / 10).toLocaleString('en-US');
}

/** `1:05`, `2:00:09`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  return h > 0 ? `${String(h)}:${two(m)}:${two(s)}` : `${String(m)}:${two(s)}`;
}

/** Shows progress on stderr: one line that is drawn over on a terminal, a plain line every few seconds elsewhere. */
export class ProgressDisplay {
  readonly #output: Output;
  readonly #startedAt = performance.now();
  #doneAtStart: number | undefined;
  #shownAt = -Infinity;
  #shown = '';

  constructor(output: Output) {
    this.#output = output;
  }

  show(standing: Standing, final = false): void {
    const done = doneOf(standing.counts);
    this.#doneAtStart ??= done;
    const elapsedMs = performance.now() - this.#startedAt;
    const left = remainingMs({ done: done - this.#doneAtStart, elapsedMs }, standing.counts.total - done);
    const line = progressLine(standing, left);
    if (this.#output.isTerminal) {
      const width = process.stderr.columns;
      process.stderr.write(`\r\u001b[2K${line.slice(0, width > 0 ? width - 1 : undefined)}`);
      if (final) process.stderr.write('\n');
    } else if (final ? line !== this.#shown : elapsedMs - this.#shownAt >= PLAIN_EVERY_MS && line !== this.#shown) {
      this.#output.say(line);
      this.#shownAt = elapsedMs;
      this.#shown = line;
    }
  }

  /** Makes room for a message between two drawings. */
  interrupt(): void {
    if (this.#output.isTerminal) process.stderr.write('\r\u001b[2K');
  }
}
