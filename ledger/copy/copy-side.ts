import type { OpenDatabase } from '../migrate.ts';
import type { CopyDialect } from './copy-dialect.ts';
import type { Tally } from './tally.ts';

/** One side of a copy: the ledger FROM, or the ledger TO. */
export interface CopySide {
  readonly database: OpenDatabase;
  readonly dialect: CopyDialect;
  /** The versions of its tables that this program knows. */
  readonly versions: readonly string[];
}

/**
 * Steps of a copy that are done, for tests. `filling`: all lines are in TO, not committed. `filled`: committed.
 * `marking`: FROM is marked as moved, not committed. `moved`: committed. `opened`: TO is open.
 */
export type CopyMoment = 'filling' | 'filled' | 'marking' | 'moved' | 'opened';

/** Progress of a copy: `lines` of `total` lines of all tables. */
export type CopyProgress = { readonly type: 'copying' | 'comparing'; readonly lines: number; readonly total: number };

/** What is the same on both sides, as proof of the copy. */
export interface CopyProof {
  /** Number of lines of each table. */
  readonly lines: Readonly<Record<string, number>>;
  /** Counts and sums of each batch, counted again from the rows and charges in TO. */
  readonly tally: Tally;
}
