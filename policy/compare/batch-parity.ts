import type { FailureClass } from '../../contract/failures.ts';
import type { Outcome } from '../../contract/outcomes.ts';
import { roundCredits } from '../../contract/price-units.ts';
import type { Step } from '../../contract/row-kinds.ts';
import { ROW_DIFFERENCES, type Pair, type RowDifference, type RowParity, type RowSide } from './row-parity.ts';

/** Aggregates the comparison of two batches (`voxbatch compare`): {@link ParityTally} adds up row by row. */

/** How long an accepted request took, ms. */
export interface RequestTimes {
  readonly step: Step;
  /** From creation to acceptance, or to the result for synchronous requests. */
  readonly acceptedMs: number;
  /** From acceptance to the stored result; null if there was no job, or if it has not ended. */
  readonly finishedMs: number | null;
}

/** A row of one of the two batches, with its requests and cost. */
export interface PaidSide extends RowSide {
  readonly requests: readonly RequestTimes[];
  /** Charged for the row in all its takes. */
  readonly credits: number;
  /** Whether it paid for its result: it has one, reused nothing, and every price is known. */
  readonly isPaid: boolean;
  /** Number of sent requests. */
  readonly attempts: number;
}

/** Sums over the rows that two batches have in common. In each pair, the first value is that of the first batch. */
export interface BatchParity {
  readonly rows: {
    readonly compared: number;
    readonly differing: number;
    readonly notRun: number;
    readonly open: number;
  };
  /** Rows by their pair of outcomes, most frequent first. */
  readonly outcomes: readonly { readonly ended: Pair<Outcome>; readonly rows: number }[];
  /** Rows without a result, by failure class. */
  readonly errors: readonly { readonly errorClass: FailureClass; readonly rows: Pair<number> }[];
  readonly differences: Readonly<Record<RowDifference, number>>;
  /** Rows whose lengths were compared. `change`: relative difference in either direction; null without such rows. */
  readonly length: { readonly rows: number; readonly seconds: Pair<number>; readonly change: Spread | null };
  /**
   * Rows whose transcripts were compared. `equal`: those without a difference. `different`, `of`: in all of them, words
   * that differ, and words of the longer transcripts.
   */
  readonly words: {
    readonly rows: number;
    readonly equal: number;
    readonly different: number;
    readonly of: number;
  };
  readonly latency: readonly StepLatency[];
  /** Credits of the rows that paid for a result in both batches. */
  readonly credits: { readonly rows: number; readonly sums: Pair<number> };
  readonly attempts: Pair<number>;
}

/** Latency of a step, ms; null without such a request. */
export interface StepLatency {
  readonly step: Step;
  readonly accepted: Pair<Spread | null>;
  readonly finished: Pair<Spread | null>;
}

interface Samples {
  readonly accepted: Pair<number[]>;
  readonly finished: Pair<number[]>;
}

/** Aggregates the comparisons of rows. Keeps a few numbers per row, not the rows. */
export class ParityTally {
  readonly #rows = { compared: 0, differing: 0, notRun: 0, open: 0 };
  readonly #outcomes = new Map<string, { readonly ended: Pair<Outcome>; rows: number }>();
  readonly #errors = new Map<FailureClass, [number, number]>();
  readonly #differences = Object.fromEntries(ROW_DIFFERENCES.map((name) => [name, 0])) as Record<RowDifference, number>;
  readonly #seconds: [number, number] = [0, 0];
  readonly #changes: number[] = [];
  readonly #words = { rows: 0, equal: 0, different: 0, of: 0 };
  readonly #samples = new Map<Step, Samples>();
  readonly #credits: { rows: number; readonly sums: [number, number] } = { rows: 0, sums: [0, 0] };
  readonly #attempts: [number, number] = [0, 0];

  add(sides: Pair<PaidSide>, parity: RowParity): void {
    if (parity.type === 'open') this.#rows.open += 1;
    else this.#addEnds(sides);
    if (parity.type === 'not-run') this.#rows.notRun += 1;
    if (parity.type !== 'compared') return;
    this.#rows.compared += 1;
    if (parity.differences.length > 0) this.#rows.differing += 1;
    for (const name of parity.differences) this.#differences[name] += 1;
    this.#addResults(sides, parity);
    const isPaid = sides.every((side) => side.isPaid);
    if (isPaid) this.#credits.rows += 1;
    for (const side of SIDES) {
      if (isPaid) this.#credits.sums[side] = roundCredits(this.#credits.sums[side] + sides[side].credits);
      this.#attempts[side] += sides[side].attempts;
      for (const request of sides[side].requests) this.#addRequest(side, request);
    }
  }

  sum(): BatchParity {
    return {
      rows: this.#rows,
      outcomes: [...this.#outcomes.values()].toSorted((a, b) => b.rows - a.rows),
      errors: [...this.#errors].map(([name, rows]) => ({ errorClass: name, rows })),
      differences: this.#differences,
      length: { rows: this.#changes.length, seconds: this.#seconds, change: spreadOf(this.#changes) },
      words: this.#words,
      latency: [...this.#samples].map(([step, { accepted, finished }]) => ({
        step,
        accepted: [spreadOf(accepted[0]), spreadOf(accepted[1])],
        finished: [spreadOf(finished[0]), spreadOf(finished[1])],
      })),
      credits: this.#credits,
      attempts: this.#attempts,
    };
  }

  #addEnds(sides: Pair<PaidSide>): void {
    const [{ outcome: one }, { outcome: other }] = sides;
    if (one === null || other === null) return;
    const key = `${one} ${other}`;
    const known = this.#outcomes.get(key) ?? { ended: [one, other], rows: 0 };
    known.rows += 1;
    this.#outcomes.set(key, known);
    for (const side of SIDES) {
      const { failure } = sides[side];
      if (failure === null) continue;
      const counts = this.#errors.get(failure) ?? [0, 0];
      counts[side] += 1;
      this.#errors.set(failure, counts);
    }
  }

  #addResults(sides: Pair<PaidSide>, { lengthChange, words }: RowParity): void {
    if (lengthChange !== null) {
      this.#changes.push(Math.abs(lengthChange));
      for (const side of SIDES) this.#seconds[side] += sides[side].seconds ?? 0;
    }
    if (words === null) return;
    this.#words.rows += 1;
    this.#words.equal += words.different === 0 ? 1 : 0;
    this.#words.different += words.different;
    this.#words.of += words.of;
  }

  #addRequest(side: 0 | 1, { step, acceptedMs, finishedMs }: RequestTimes): void {
    const samples = this.#samples.get(step) ?? { accepted: [[], []], finished: [[], []] };
    samples.accepted[side].push(acceptedMs);
    if (finishedMs !== null) samples.finished[side].push(finishedMs);
    this.#samples.set(step, samples);
  }
}

const SIDES = [0, 1] as const;

/** The distribution of some measurements. */
export interface Spread {
  readonly count: number;
  readonly median: number;
  /** 95 % of them are no larger. */
  readonly p95: number;
}

/** Returns the median and the 95th percentile of measurements (nearest rank); null if there are none. */
export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  return { count: sorted.length, median: atRank(sorted, 0.5), p95: atRank(sorted, 0.95) };
}

function atRank(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
}
