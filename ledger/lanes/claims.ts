import { ROW_STATES } from '../../contract/outcomes.ts';
import type { WorkerDuty } from '../../contract/worker-duty.ts';
import { isReserved } from '../conditions.ts';
import { prepared, preparedOne } from '../database/prepared.ts';
import { write } from '../database/transactions.ts';
import type { RowSnapshot } from '../rows/row-records.ts';
import { setRow } from '../rows/line-changes.ts';
import { readLines, withCharges } from '../rows/rows.ts';
import type { Db, RowLine, Tx } from '../schema.ts';
import { roomInShare, selectFreeRows } from './lane-shares.ts';
import { ownsLane, type LaneOwnership } from './lanes.ts';

/** A lane's request for rows. */
export interface ClaimRequest extends LaneOwnership {
  /** Max unsent rows. Rows with an open request or job come in addition. */
  readonly limit: number;
  /** Max rows with reserved budget, which come first, even beyond `limit`. Default: `limit`. */
  readonly maxReserved?: number;
  /** Number of workers that could work on the batch: each gets its share of the last rows. Default: 1. */
  readonly workers?: number;
  /** `download`: only rows whose result must be fetched. `submit`: all others. Default: all. */
  readonly only?: WorkerDuty | undefined;
}

/** The rows that a lane gets. */
export interface Claim {
  readonly rows: readonly RowSnapshot[];
  /** Whether no free row was left after this claim. */
  readonly exhausted: boolean;
  /** Whether free rows were left for the lanes of other workers. */
  readonly isShareFull: boolean;
  /** Number of rows that cannot be claimed yet because they wait for a voice or for their parts. */
  readonly blocked: number;
}

/** Max rows under way per claim; the next claim brings the rest. */
const MAX_UNDER_WAY = 200;
/** States of a row with an open request or job. */
const UNDER_WAY = ROW_STATES.filter((state) => state !== 'waiting' && state !== 'blocked');
/** The same per duty of a worker. */
const UNDER_WAY_FOR = {
  submit: UNDER_WAY.filter((state) => state !== 'fetching'),
  download: UNDER_WAY.filter((state) => state === 'fetching'),
};

/**
 * Claims the next free rows for a lane, in manifest order, each under a new fencing token, so that an earlier holder
 * can record no intent for them. Returns `lost`, and claims nothing, if another process holds the lane by now.
 *
 * Rows under way come first, even if the lane has no room (`limit` 0): their jobs are paid for, and their requests
 * without a verdict use up the limit of requests in flight. Rows with reserved budget come next, because other rows may
 * be waiting for that budget.
 */
export async function claimRows(db: Db, request: ClaimRequest): Promise<Claim | 'lost'> {
  const { batch, lane, maxReserved = request.limit, workers = 1 } = request;
  return write(db, async (tx) => {
    if (!(await ownsLane(tx, request))) return 'lost';
    const limit = await roomInShare(tx, request, { limit: request.limit, workers });
    // Select one extra to see whether any are left.
    const { only } = request;
    const states = only === undefined ? UNDER_WAY : UNDER_WAY_FOR[only];
    const limits = { batch, limit: MAX_UNDER_WAY + 1 };
    const underWay = (await Promise.all(states.map((state) => selectFreeRows(tx, { ...limits, state })))).flat();
    const reserved = (await selectReserved(tx, { batch, limit: maxReserved })).map(({ row }) => row);
    const max = Math.max(limit, reserved.length);
    const waiting = only === 'download' ? [] : await selectFreeRows(tx, { batch, state: 'waiting', limit: max + 1 });
    const others = waiting.map(({ row }) => row).filter((row) => !reserved.includes(row));
    const fresh = others.slice(0, max - reserved.length);
    const rows = [...underWay.slice(0, MAX_UNDER_WAY).map(({ row }) => row), ...reserved, ...fresh];
    const exhausted = underWay.length <= MAX_UNDER_WAY && others.length === fresh.length;
    const isShareFull = limit < request.limit && others.length > fresh.length;
    const blocked = await countBlocked(tx, batch);
    if (rows.length === 0) return { rows: [], exhausted, isShareFull, blocked };
    const claimed: RowLine[] = [];
    for (const line of await readLines(tx, batch, rows)) {
      const claim = { lane, hold: line.hold + 1 };
      await setRow(tx, line, claim);
      claimed.push({ ...line, ...claim });
    }
    const isFresh = ({ row: { row } }: RowSnapshot): boolean => fresh.includes(row);
    const snapshots = await withCharges(tx, claimed);
    const begunFirst = snapshots.toSorted((one, other) => Number(isFresh(one)) - Number(isFresh(other)));
    return { rows: begunFirst, exhausted, isShareFull, blocked };
  });
}

/** Selects free rows with reserved budget. Exported for the test of its query plan. */
export const selectReserved = prepared((db, { batch, limit }: { batch: string; limit: number }) =>
  db.selectFrom('rows').select('row').where('batch', '=', batch).where(isReserved('rows')).orderBy('row').limit(limit),
);

const selectBlocked = preparedOne((db, { batch }: { batch: string }) =>
  db
    .selectFrom('row_counts')
    .select((eb) => eb.fn.sum<number | null>('n').as('n'))
    .where('batch', '=', batch)
    .where('standing', '=', 'blocked'),
);

/** Reads the number of blocked rows from the counts that triggers maintain. */
async function countBlocked(tx: Tx, batch: string): Promise<number> {
  const count = await selectBlocked(tx, { batch });
  return count?.n ?? 0;
}
