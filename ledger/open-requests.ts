import { sql, type RawBuilder } from 'kysely';
import type { Operation } from '../contract/row-kinds.ts';
import { sizeOf } from '../policy/money/charge-ratio.ts';
import { SIZE } from './charge-ratios.ts';
import { isUnpriced, isUnresolved } from './conditions.ts';
import type { Db, Tx } from './schema.ts';

/** What the open requests of a batch come to, in credits. A job that is read again is none of them if its price is known: it was paid for long ago. */
export interface OpenRequests {
  /** Requests whose end is awaited: it changes the sums, and will come. */
  readonly awaited: number;
  /** What those may be charged beyond what counts for them, at the worst that is known of their operations. */
  readonly beyond: number;
  /** The same of requests whose end may never be known: in doubt, or a job that nobody waits for any longer. */
  readonly beyondLost: number;
}

/** Requests of one operation whose quotes are of the same size as this one, in credits. */
export interface RequestsAlike {
  readonly operation: Operation;
  readonly quoted: number;
}

/** The open requests of a batch: all of them, or those alike. */
export async function openRequestsOf(tx: Db | Tx, batch: string, alike?: RequestsAlike): Promise<OpenRequests> {
  const { rows } = await selectOpen(batch, alike).execute(tx);
  return { awaited: 0, beyond: 0, beyondLost: 0, ...rows[0] };
}

/** `countedFor` of one operation, less what is in the sums. Of an operation that is not under a budget yet, no more is known than its quote. */
const BEYOND = sql.raw(
  `max(0, case when o.quoted > 0 then o.quoted + coalesce((select
       max(min(o.quoted, k.size) * (max(1, k.worst, k.earlier) - 1))
       from charge_ratios as k where k.batch = o.batch and k.operation = o.operation), 0)
     else coalesce((select max(k.unquoted) from charge_ratios as k where k.batch = o.batch and k.operation = o.operation), 0) end
     - coalesce(o.charged, o.quoted, 0))`,
);
const IS_AWAITED = sql.raw(`(o.state <> 'unknown' and r.outcome is null and r.take = o.take)`);
const COLUMNS = sql.raw('batch, row, operation, take, state, quoted, charged');

/** Reads open requests only, by the indexes of such. */
function selectOpen(batch: string, alike: RequestsAlike | undefined): RawBuilder<OpenRequests> {
  const meant =
    alike === undefined ? sql`` : sql`and c.operation = ${alike.operation} and ${SIZE} = ${sizeOf(alike.quoted)}`;
  const ofBatch = sql`c.batch = ${batch} ${meant}`;
  return sql<OpenRequests>`select count(*) filter (where is_awaited) as awaited,
      coalesce(sum(beyond) filter (where is_awaited), 0) as beyond,
      coalesce(sum(beyond) filter (where not is_awaited), 0) as "beyondLost"
    from (
      select ${BEYOND} as beyond, ${IS_AWAITED} as is_awaited from (
        select ${COLUMNS} from charges as c where ${ofBatch} and ${isUnresolved('c')}
        union all
        select ${COLUMNS} from charges as c where ${ofBatch} and ${isUnpriced('c')}
      ) as o
      cross join rows as r on r.batch = o.batch and r.row = o.row
    )`;
}
