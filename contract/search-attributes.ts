/**
 * Search attributes of batch workflows, for Temporal's UI and list queries. Temporal never encrypts search attributes,
 * so they hold only names and numbers, never a row's text, a link, a token or a reason.
 */

/** The search attributes of a batch's workflow, with Temporal's names of their types. */
export const SEARCH_ATTRIBUTES = {
  VoxbatchBatch: 'KEYWORD',
  VoxbatchState: 'KEYWORD',
  VoxbatchDone: 'INT',
  VoxbatchFailed: 'INT',
  VoxbatchUnknown: 'INT',
  VoxbatchCredits: 'DOUBLE',
} as const;
/** A search attribute of a batch's workflow, by which Temporal's lists can be filtered. */
export type SearchAttributeName = keyof typeof SEARCH_ATTRIBUTES;

/** In the order in which they are created. */
export const SEARCH_ATTRIBUTE_NAMES = Object.keys(SEARCH_ATTRIBUTES) as unknown as readonly [
  SearchAttributeName,
  ...SearchAttributeName[],
];

/** The progress of a batch that the attributes show. They may lag behind; the ledger is authoritative. */
export interface SearchFigures {
  /** The batch's control, or `ended` once every row has an outcome. */
  readonly state: 'running' | 'paused' | 'stopping' | 'ended';
  /** Rows to run: all but those left out by `--limit` or `--sample`. */
  readonly rows: number;
  /** Of these, the number that have ended, with any outcome. */
  readonly done: number;
  readonly failed: number;
  readonly unknown: number;
  /** Credits charged so far. */
  readonly credits: number;
}
