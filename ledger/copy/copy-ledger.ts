import { randomUUID } from 'node:crypto';
import { withClock } from '../database/transactions.ts';
import { findBegun, requireKnownTables } from './begun-copy.ts';
import { CopyRefused } from './copy-refused.ts';
import type { CopyMoment, CopyProgress, CopyProof, CopySide } from './copy-side.ts';
import { fillCopy } from './fill-copy.ts';
import { markReadOnly, openCopy } from './mark-read-only.ts';

/**
 * Moves a ledger to another database. Two databases share no commit, so the two sides go through states, each of which
 * is one commit on one side, and **at most one side can be written to at any moment**:
 *
 * | moment | FROM | TO | who sends |
 * |---|---|---|---|
 * | before | open | without a batch | FROM |
 * | 1. TO is filled | open | incoming | FROM |
 * | 2. FROM is marked | moved | incoming | nobody, until the next commit |
 * | 3. TO is opened | moved | open | TO |
 *
 * - A side that is `incoming` or `moved` is read-only: its database refuses each write by itself, also to a process of
 *   any version that had it open before (`CopyDialect.guard`). Without a recorded intent nothing is sent.
 * - FROM is read, and marked, in one write transaction: nobody writes between the first line that is read and the mark.
 *   Workers are kept out of both sides until the end.
 * - TO is filled and compared in one transaction: it has all or nothing.
 *
 * A process that dies leaves one of the four moments, and the same command goes on from there. Before 2 has happened,
 * FROM may have been worked on since: TO is emptied and filled anew. After 2, only 3 is left to do: TO has all that
 * FROM will ever have. Both marks carry the random id of the copy, so a TO is opened only by the copy that filled it.
 * In none of the moments can both sides send. The moment in which neither can is a commit long, unless the process dies
 * in it; both sides then say which command ends it.
 */
export async function copyLedger({ from, to, onProgress, atMoment }: CopyRequest): Promise<Copied> {
  // Checked before the locks, too, so that nobody ends workers for a copy that is then refused.
  await checkSides(from, to);
  // Waits for a batch that is being loaded: its rows would be copied in part.
  const releases = [await from.database.locks.lockForLoading()];
  try {
    releases.push(await from.database.locks.lockAgainstWorkers());
    releases.push(await to.database.locks.lockAgainstWorkers());
    const report = onProgress ?? ((): void => undefined);
    const reach = atMoment ?? ((): void => undefined);
    const begun = await checkSides(from, to);
    if (begun === 'complete') return { type: 'already' };
    if (begun !== undefined) {
      await openCopy(to, begun);
      return { type: 'completed' };
    }
    const copy = randomUUID();
    const at = Date.now();
    const proof = await from.database.db.transaction().execute(async (fromTx) => {
      const source = withClock(fromTx, from.database.db);
      await from.dialect.lockTables(source);
      // FROM may be a restored database that lacks paid requests. In its new place, nobody would notice that.
      if (!(await from.dialect.isAccepted(source))) throw new CopyRefused({ why: 'from-unaccepted' });
      const filled = await to.database.db.transaction().execute((toTx) => {
        const tx = withClock(toTx, to.database.db);
        return fillCopy({
          source,
          from,
          to,
          tx,
          facts: { place: from.database.place, copy, at },
          onProgress: report,
          reach,
        });
      });
      await reach('filled');
      await markReadOnly(source, from.dialect, 'moved', { place: to.database.place, copy, at });
      await reach('marking');
      return filled;
    });
    await reach('moved');
    await openCopy(to, { place: from.database.place, copy, at });
    await reach('opened');
    return { type: 'copied', ...proof };
  } finally {
    for (const release of releases.toReversed()) release();
  }
}

/** Checks that both sides have known tables, then calls {@link findBegun}. */
async function checkSides(from: CopySide, to: CopySide): ReturnType<typeof findBegun> {
  for (const side of [from, to]) await requireKnownTables(side);
  return findBegun(from, to);
}

/** What to copy. */
export interface CopyRequest {
  readonly from: CopySide;
  readonly to: CopySide;
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
  /** Called between the steps, so that tests can end the process there. */
  readonly atMoment?: ((moment: CopyMoment) => void | Promise<void>) | undefined;
}

/** `already`: the copy was complete before. `completed`: only opening TO was left to do. */
export type Copied = { readonly type: 'already' | 'completed' } | ({ readonly type: 'copied' } & CopyProof);
