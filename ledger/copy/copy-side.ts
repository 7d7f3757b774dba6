import type { OpenDatabase } from '../migrate.ts';
import type { CopyDialect } from './copy-dialect.ts';
import type { Tally } from './tally.ts';

/** One side of a copy. */
export interface CopySide {
  readonly database: OpenDatabase;
  readonly dialect: CopyDialect;
  /** The versions of its tables that this program knows. */
  readonly versions: readonly string[];
}

/**
 * `filling`: all lines are in TO, not committed. `marking`: FROM is marked, not committed. Others: the commit is done.
 */
export type CopyMoment = 'filling' | 'filled' | 'marking' | 'moved' | 'opened';

/** How far a copy is. */
export type CopyProgress =
  /** Of `total` lines of all tables. */
  { readonly type: 'copying' | 'comparing'; readonly lines: number; readonly total: number };

/** What was compared on both sides, and is the same. */
export interface CopyProof {
  /** Lines of each table. */
  readonly lines: Readonly<Record<string, number>>;
  /** Counts and sums of each batch, counted again from the rows and charges in TO. */
  readonly tally: Tally;
}
