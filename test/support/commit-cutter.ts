import { openCommitLine } from './commit-line.ts';

/** How often the line is to be cut, and how often it was, by moment. */
export interface Cuts {
  readonly every: number;
  readonly most: number;
  before: number;
  after: number;
}

/**
 * A line to a PostgreSQL server that is cut at commits, in turn before and after the server has committed. Returns the address of the
 * ledger over this line.
 */
export async function cutAtCommits(url: string, cuts: Cuts): Promise<string> {
  let commits = 0;
  const { href } = await openCommitLine(url, () => {
    if (++commits % cuts.every !== 0 || cuts.before + cuts.after >= cuts.most) return undefined;
    const moment = cuts.before <= cuts.after ? 'before' : 'after';
    cuts[moment] += 1;
    return moment;
  });
  return href;
}
