import type { ManifestProblem } from './problems.ts';

/** Longest cell, in bytes. */
export const MAX_CELL_BYTES = 1024 * 1024;
/** Longest record, in bytes. A longer one ends the reading. */
export const MAX_RECORD_BYTES = 10 * 1024 * 1024;

/** Most columns of a manifest. More are a mistake, such as JSON lines that use ids as keys. */
export const MAX_COLUMNS = 1000;

/** What a format reader hands on, in the order of the file. */
export type RawItem =
  /** New columns: the whole header of a CSV file, or keys that a JSON line is the first to have. */
  | { readonly type: 'columns'; readonly line: number; readonly names: readonly string[] }
  /** Cells in the order of all columns so far; `line` is the physical line of the first of them. */
  | { readonly type: 'record'; readonly line: number; readonly cells: readonly string[] }
  /** Something that is no record. After some of them the rest of the file cannot be read; the message says so. */
  | { readonly type: 'problem'; readonly problem: ManifestProblem }
  /** The last item: sha256 of the bytes that were read, hex. */
  | { readonly type: 'end'; readonly digest: string };
