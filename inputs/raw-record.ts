import type { ManifestProblem } from '../contract/manifest-problems.ts';

/** Longest record, in bytes. A longer one stops the reading. */
export const MAX_RECORD_BYTES = 10 * 1024 * 1024;

/** Max columns of a manifest. More are a mistake, such as JSON lines that use ids as keys. */
export const MAX_COLUMNS = 1000;

/** What a format reader produces, in the order of the file. */
export type RawItem =
  /** New columns: the whole header of a CSV file, or the new keys of a JSON line. */
  | { readonly type: 'columns'; readonly line: number; readonly names: readonly string[] }
  /** Cells in the order of all columns so far; `line` is the physical line of the first of them. */
  | { readonly type: 'record'; readonly line: number; readonly cells: readonly string[] }
  /** Something that is not a record. After some problems the rest of the file cannot be read; the message says so. */
  | { readonly type: 'problem'; readonly problem: ManifestProblem }
  /** The last item: sha256 of the bytes that were read, hex. */
  | { readonly type: 'end'; readonly digest: string };
