import { sql, type RawBuilder, type Selectable } from 'kysely';
import { operationOf, stepsIn, type Operation, type RowSpec, type Step, type TtsMode } from '../contract/row-kinds.ts';
import { isRunning, isUnresolved } from './conditions.ts';
import { prepared } from './prepared.ts';
import type { Db, Tx } from './schema.ts';
import type { ChargeRatiosTable } from './tables/charges.ts';

/** What a batch under a budget has been charged for its operations, beside its quotes. A trigger keeps it; see the migrations `0046-ratios-by-operation` and `0048-operations-of-charges`. */

/** Of so many earlier batches the charges count: one odd charge is forgotten in time. */
const BATCHES_BEFORE = 3;

/** The line of an operation. */
export type OperationRatio = Selectable<ChargeRatiosTable>;

/** Whose steps: what decides by which operations they are carried out, and so at which price. */
export interface RatioOwner {
  readonly batch: string;
  readonly spec: RowSpec;
  readonly tts: TtsMode;
}

const selectRatios = prepared((tx, { batch }: { batch: string }) =>
  tx.selectFrom('charge_ratios').selectAll().where('batch', '=', batch),
);

/** The ratios of all operations of a batch that were sent under a budget. */
export async function knownRatios(tx: Db | Tx, batch: string): Promise<readonly OperationRatio[]> {
  return selectRatios(tx, { batch });
}

/** What counts for a row. */
export interface RatiosOfRow {
  /** Those of its steps, in order. */
  readonly ofSteps: readonly OperationRatio[];
  /** Those of all operations of the batch. */
  readonly all: readonly OperationRatio[];
}

/** The ratios of a batch, with those of all steps of a row among them. */
export async function ratiosOf(tx: Tx, owner: RatioOwner): Promise<RatiosOfRow> {
  const { batch, spec, tts } = owner;
  const steps = stepsIn(spec).map((step) => ({ step, operation: operationOf(spec, step, tts) }));
  const known = await knownRatios(tx, batch);
  const isKnown = steps.every(({ operation }) => known.some((one) => one.operation === operation));
  const all = isKnown ? known : await beginRatios(tx, batch, steps);
  return { all, ofSteps: steps.flatMap(({ operation }) => all.find((one) => one.operation === operation) ?? []) };
}

/** An operation, and the step that it is needed for. */
interface NeededOperation {
  readonly step: Step;
  readonly operation: Operation;
}

/**
 * Begins the lines of these operations, and of those whose requests are open: they were sent before there was a budget, or by an earlier
 * version. Returns all lines.
 */
export async function beginRatios(
  tx: Tx,
  batch: string,
  needed: readonly NeededOperation[] = [],
): Promise<readonly OperationRatio[]> {
  const known = await knownRatios(tx, batch);
  const { rows: open } = await selectOpenOperations(batch).execute(tx);
  const stepFor = new Map([...open, ...needed].map(({ operation, step }) => [operation, step]));
  for (const { operation } of known) stepFor.delete(operation);
  for (const [operation, step] of stepFor) await addRatio(tx, batch, step, operation);
  return knownRatios(tx, batch);
}

function selectOpenOperations(batch: string): RawBuilder<NeededOperation> {
  const ofBatch = sql`from charges as c where c.batch = ${batch}`;
  return sql`select c.operation, c.step ${ofBatch} and ${isUnresolved('c')}
    union
    select c.operation, c.step ${ofBatch} and ${isRunning('c')}`;
}

/** Begins the line of an operation with what is known of it: by this batch, if it ran without a budget, and by earlier ones. */
async function addRatio(tx: Tx, batch: string, step: Step, operation: Operation): Promise<void> {
  await sql`
    insert into charge_ratios (batch, operation, step, worst, unquoted, told, ended, earlier)
    select ${batch}, ${operation}, ${step},
      coalesce(max(case when is_told and quoted > 0 then charged / quoted end), 0),
      coalesce(max(case when is_told and coalesce(quoted, 0) <= 0 then charged end), 0),
      coalesce(sum(is_told and finished_at is not null), 0),
      coalesce(sum(finished_at is not null), 0),
      ${await earlierRatio(tx, batch, operation)}
    from (
      select quoted, charged, finished_at, charged_from is 'api' and charged > 0 as is_told from charges
      where batch = ${batch} and operation = ${operation} and state in ('accepted', 'done')
    )`.execute(tx);
}

/** The worst ratio of the last batches of the account that were charged for the operation, at the same price. */
async function earlierRatio(tx: Tx, batch: string, operation: Operation): Promise<number> {
  const price = sql.lit(`$.prices."${operation}"`);
  const before = tx
    .selectFrom('charge_ratios as ratio')
    .innerJoin('batches as b', 'b.name', 'ratio.batch')
    .innerJoin('batches as own', (join) =>
      join
        .on('own.name', '=', batch)
        .onRef('own.api_url', '=', 'b.api_url')
        .onRef('own.account', '=', 'b.account')
        .on(sql<boolean>`json_extract(own.settings, ${price}) = json_extract(b.settings, ${price})`),
    )
    .select('ratio.worst')
    .where('ratio.operation', '=', operation)
    .where('ratio.told', '>', 0)
    .where('ratio.batch', '<>', batch)
    .orderBy('b.created_at', 'desc')
    .limit(BATCHES_BEFORE);
  const { worst } = await tx
    .selectFrom(before.as('before'))
    .select((eb) => eb.fn.max<number | null>('before.worst').as('worst'))
    .executeTakeFirstOrThrow();
  return worst ?? 0;
}

/** What the open requests of a batch come to, in credits. */
export interface OpenRequests {
  /** Requests whose end is awaited: it changes the sums, and will come. */
  readonly awaited: number;
  /** What those may be charged beyond what counts for them, at the worst that is known of their operations. */
  readonly beyond: number;
  /** The same of requests whose end may never be known: in doubt, or a job that nobody waits for any longer. */
  readonly beyondLost: number;
}

/** The open requests of a batch, of all operations or of one. */
export async function openRequestsOf(tx: Db | Tx, batch: string, operation?: Operation): Promise<OpenRequests> {
  const { rows } = await selectOpen(batch, operation).execute(tx);
  return { awaited: 0, beyond: 0, beyondLost: 0, ...rows[0] };
}

/** Of an operation that is not under a budget yet, no more is known than its quote. */
const BEYOND = sql.raw(
  `max(0, case when o.quoted > 0 then o.quoted * max(1, coalesce(k.worst, 0), coalesce(k.earlier, 0)) else coalesce(k.unquoted, 0) end
     - coalesce(o.charged, o.quoted, 0))`,
);
const IS_AWAITED = sql.raw(`(o.state <> 'unknown' and r.outcome is null and r.take = o.take)`);
const COLUMNS = sql.raw('batch, row, operation, take, state, quoted, charged');

/** Reads open requests only, by the indexes of such. */
function selectOpen(batch: string, operation?: Operation): RawBuilder<OpenRequests> {
  const meant = operation === undefined ? sql`` : sql`and c.operation = ${operation}`;
  const ofBatch = sql`c.batch = ${batch} ${meant}`;
  return sql<OpenRequests>`select count(*) filter (where is_awaited) as awaited,
      coalesce(sum(beyond) filter (where is_awaited), 0) as beyond,
      coalesce(sum(beyond) filter (where not is_awaited), 0) as "beyondLost"
    from (
      select ${BEYOND} as beyond, ${IS_AWAITED} as is_awaited from (
        select ${COLUMNS} from charges as c where ${ofBatch} and ${isUnresolved('c')}
        union all
        select ${COLUMNS} from charges as c where ${ofBatch} and ${isRunning('c')}
      ) as o
      cross join rows as r on r.batch = o.batch and r.row = o.row
      left join charge_ratios as k on k.batch = o.batch and k.operation = o.operation
    )`;
}
