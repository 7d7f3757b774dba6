import type { VoiceWait } from '../contract/batch.ts';
import type { RowSpec } from '../contract/row-kinds.ts';
import type { RowPart } from '../contract/row-parts.ts';
import type { Priced } from './money/price-rows.ts';

/** A row that is ready for the ledger. */
export interface ManifestRow extends Priced {
  /** 1-based position among the rows. */
  readonly row: number;
  /** Physical line of the record's first line, header = 1. */
  readonly line: number;
  readonly id: string;
  /** The unchanged input cells, in the order of the summary's columns. */
  readonly input: readonly string[];
  /** File name of the result below `media/`, `{ext}` left in. */
  readonly name: string;
  /** The voice that it waits for. Default: none. */
  readonly waitsFor?: VoiceWait;
  /** What it is spoken in, at least two parts. Default: it is not split. */
  readonly parts?: readonly RowPart[];
  /** The row's number in the batch of an outcome file (`_row`). */
  readonly previousRow?: number;
  /** The ids of the jobs that it had there (`_job_ids`). */
  readonly previousJobs?: readonly string[];
}

/** A row before its price. */
export type UnpricedRow = Omit<ManifestRow, keyof Priced | 'parts'> & {
  readonly spec: RowSpec;
  /** The parts of its text, at least two. Default: it is not split. */
  readonly texts?: readonly string[];
};
