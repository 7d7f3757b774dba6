/**
 * What Temporal's lists can be searched by. Search attributes lie in the open wherever Temporal keeps them, encrypted
 * or not: they carry names and numbers only, never a row's text, a link, a token or a reason.
 */

/** The search attributes of a batch's workflow, with their types as Temporal names them. */
export const SEARCH_ATTRIBUTES = {
  VoxbatchBatch: 'KEYWORD',
  VoxbatchState: 'KEYWORD',
  VoxbatchDone: 'INT',
  VoxbatchFailed: 'INT',
  VoxbatchUnknown: 'INT',
  VoxbatchCredits: 'DOUBLE',
} as const;
export type SearchAttributeName = keyof typeof SEARCH_ATTRIBUTES;

/** In the order in which they are created. */
export const SEARCH_ATTRIBUTE_NAMES = Object.keys(SEARCH_ATTRIBUTES) as unknown as readonly [
  SearchAttributeName,
  ...SearchAttributeName[],
];

/** How a batch stands, for people who look at Temporal. The ledger is what counts. */
export interface SearchFigures {
  /** What the user lets it do; `ended`: every row has an outcome. */
  readonly state: 'running' | 'paused' | 'stopping' | 'ended';
  /** Rows to run: all but those left out by `--limit` or `--sample`. */
  readonly rows: number;
  /** Of these, how many have ended, in whatever way. */
  readonly done: number;
  readonly failed: number;
  readonly unknown: number;
  /** Credits charged so far. */
  readonly credits: number;
}
