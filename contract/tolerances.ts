/**
 * How much two batches may differ before `voxbatch compare` reports a difference. Shares: 0.1 is 10 %; `Infinity` means
 * no limit.
 */
export interface Tolerances {
  /** Share of the longer result by which the lengths of a row may differ. Half a second is always allowed. */
  readonly length: number;
  /** Share of the words of the longer transcript of a row that may differ. */
  readonly words: number;
  /** Share of the compared rows that may differ. */
  readonly rows: number;
  /** Share of the larger sum by which the credits of the same rows may differ. */
  readonly credits: number;
  /** Share by which the second batch may be slower than the first, by the medians of each step. */
  readonly latency: number;
}

/**
 * Not zero, because speech synthesis is not deterministic: the same text, spoken twice, differs in length. Latency has
 * no limit by default, because it depends on the service's load.
 */
export const DEFAULT_TOLERANCES: Tolerances = {
  length: 0.25,
  words: 0.1,
  rows: 0.01,
  credits: 0.05,
  latency: Infinity,
};
