import { isSingle } from '../../contract/batch.ts';
import type { FailureClass } from '../../contract/failures.ts';
import type { Control } from '../../contract/outcomes.ts';
import { toCounts, toMoney, type Counts, type Money } from '../batches/counts.ts';
import { selectOldestOfEach } from '../batches/progress.ts';
import { preparedEach } from '../database/prepared.ts';
import { readSnapshot } from '../database/transactions.ts';
import { apiHealthOfEach } from '../status/api-health.ts';
import { toBatch, type BatchRecord } from '../batches/batch-records.ts';
import type { Db, Tx } from '../schema.ts';

/** A batch in numbers, as metrics show it. */
export interface BatchGauges {
  readonly batch: string;
  readonly state: Control | 'closed';
  /** Why it has paused by itself; null if it has not. */
  readonly pausedBy: FailureClass | null;
  readonly counts: Counts;
  readonly money: Money;
  /** Credits; null if it has none. */
  readonly budget: number | null;
  /** Age of the oldest request whose job has not ended, ms; 0 if there is none. */
  readonly oldestOpenMs: number;
  /** How long the API has answered none of its calls, ms; 0 if it answers, or there are no calls. */
  readonly silentMs: number;
}

/** Max closed batches shown besides the open ones: each batch has some forty time series. */
const MAX_CLOSED = 20;
/** Max newest batches read to find these: single jobs, which are not shown, may be among them. */
const MAX_LOOKED_AT = 200;

type OfBatch = Pick<BatchGauges, 'batch'>;

const selectCounts = preparedEach((db, { batch }: OfBatch) =>
  db.selectFrom('row_counts').select(['batch', 'standing', 'class', 'n']).where('batch', '=', batch),
);

const selectSums = preparedEach((db, { batch }: OfBatch) =>
  db.selectFrom('sums').selectAll().where('batch', '=', batch),
);

/**
 * Returns the gauges of the open batches and of the last closed ones, oldest first, as of one moment; without single
 * jobs such as `say`. Reads no rows.
 */
export async function gauges(db: Db): Promise<readonly BatchGauges[]> {
  return readSnapshot(db, async (tx) => {
    const shown = await batchesShown(tx);
    const keys = shown.map(({ name }) => ({ batch: name }));
    const counts = await selectCounts(tx, keys);
    const sums = new Map((await selectSums(tx, keys)).map((line) => [line.batch, line]));
    const oldest = new Map((await selectOldestOfEach(tx, keys)).map((found) => [found.batch, found.intent_at]));
    const open = shown.filter(({ state }) => state === 'open');
    const api = await apiHealthOfEach(tx, open);
    const silence = new Map(open.map(({ name }, at) => [name, api[at]?.silence]));
    const now = tx.now();
    return shown.flatMap((record) => {
      const sum = sums.get(record.name);
      if (sum === undefined) return [];
      return {
        batch: record.name,
        ...stateOf(record),
        counts: toCounts(counts.filter(({ batch }) => batch === record.name)),
        money: toMoney(sum),
        budget: record.settings.budget,
        oldestOpenMs: Math.max(0, now - (oldest.get(record.name) ?? now)),
        silentMs: Math.max(0, now - (silence.get(record.name)?.since ?? now)),
      };
    });
  });
}

async function batchesShown(tx: Tx): Promise<readonly BatchRecord[]> {
  const lines = await tx
    .selectFrom('batches')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('state', '=', 'open'),
        eb(
          'number',
          '>',
          eb.selectFrom('batches').select((of) => of(of.fn.max('number'), '-', of.lit(MAX_LOOKED_AT)).as('from')),
        ),
      ]),
    )
    .orderBy('number')
    .execute();
  const batches = lines.map((line) => toBatch(line)).filter((one) => one.state !== 'loading' && !isSingle(one));
  const closed = batches.filter(({ state }) => state === 'closed').slice(-MAX_CLOSED);
  return batches.filter((one) => one.state === 'open' || closed.includes(one));
}

function stateOf({ state, control, pauseReason }: BatchRecord): Pick<BatchGauges, 'state' | 'pausedBy'> {
  if (state === 'closed') return { state, pausedBy: null };
  return { state: control, pausedBy: control === 'paused' ? (pauseReason?.class ?? null) : null };
}
