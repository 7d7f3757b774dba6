import { readBatchLine } from '../batches/read-batches.ts';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import {
  operationOf,
  stepsIn,
  type Operation,
  type RowSpec,
  type Step,
  type TtsMode,
} from '../../contract/row-kinds.ts';
import { SIZES } from '../../policy/money/charge-ratio.ts';
import { isUnpriced, isUnresolved } from '../conditions.ts';
import { prepared } from '../database/prepared.ts';
import { toSettings } from '../records.ts';
import type { Db, Tx } from '../schema.ts';
import type { ChargeRatiosTable } from '../tables/charges.ts';

/** What a batch under a budget has been charged for its operations, beside its quotes. A trigger keeps it. */

/** Of so many earlier batches the charges count, told or not: one odd charge is forgotten in time. */
const BATCHES_BEFORE = 3;

/** The line of an operation and a size. An operation that was begun has one of size 0 at least. */
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

/** The ratios of all operations of a batch that were sent under a budget, by size. */
export async function knownRatios(tx: Db | Tx, batch: string): Promise<readonly OperationRatio[]> {
  return selectRatios(tx, { batch });
}

/** What counts for a step. */
export interface RatiosOfStep {
  readonly operation: Operation;
  /** Those of its operation, by size. */
  readonly ratios: readonly OperationRatio[];
}

/** What counts for a row. */
export interface RatiosOfRow {
  /** Those of its steps, in order. */
  readonly ofSteps: readonly RatiosOfStep[];
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
  const ofSteps = steps.map(({ operation }) => ({
    operation,
    ratios: all.filter((one) => one.operation === operation),
  }));
  return { all, ofSteps };
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
  const ofBatch = sql`from charges as c where c.batch = ${batch} and c.operation is not null`;
  return sql`select c.operation, c.step ${ofBatch} and ${isUnresolved('c')}
    union
    select c.operation, c.step ${ofBatch} and ${isUnpriced('c')}`;
}

/** The size of a quote, as `sizeOf` says, in SQL. */
export function sizeInSql(quoted: string): string {
  const sizes = SIZES.map((size) => `when ${quoted} <= ${String(size)} then ${String(size)}`);
  return `case when coalesce(${quoted}, 0) <= 0 then 0 ${sizes.join(' ')} else ${String(SIZES.at(-1))} end`;
}

/** Begins the lines of an operation with what is known of it: by this batch, if it ran without a budget, and by earlier ones. */
async function addRatio(tx: Tx, batch: string, step: Step, operation: Operation): Promise<void> {
  const { settings } = await readBatchLine(tx, batch);
  const price = JSON.stringify(toSettings(settings).prices[operation]);
  const isTold = sql`coalesce(charged_from, '') = 'api' and charged > 0`;
  await sql`
    insert into charge_ratios (batch, operation, size, step, price, worst, unquoted, told, ended, earlier)
    select ${batch}, ${operation}, size, ${step}, ${price}, max(worst), max(unquoted), sum(told), sum(ended), max(earlier)
    from (
      select 0 as size, 0 as worst, 0 as unquoted, 0 as told, 0 as ended, 0 as earlier
      union all
      select ${sql.raw(sizeInSql('quoted'))},
        case when ${isTold} and quoted > 0 then charged / quoted else 0 end,
        case when ${isTold} and coalesce(quoted, 0) <= 0 then charged else 0 end,
        case when ${isTold} and finished_at is not null then 1 else 0 end,
        case when finished_at is not null then 1 else 0 end, 0
      from charges
      where batch = ${batch} and operation = ${operation} and state in ('accepted', 'done')
      union all
      select r.size, 0, 0, 0, 0, r.worst from charge_ratios as r
      where r.operation = ${operation} and r.batch in (${batchesBefore(batch, operation, price)})
    ) as known group by size`.execute(tx);
}

/** The last batches of the account that had the operation under a budget, at the same price. */
function batchesBefore(batch: string, operation: Operation, price: string): RawBuilder<string> {
  return sql<string>`
    select b.name from batches as own
    join batches as b on b.api_url = own.api_url and b.account = own.account and b.name <> own.name
    where own.name = ${batch}
      and exists (select 1 from charge_ratios as k where k.batch = b.name and k.operation = ${operation} and k.price = ${price})
    order by b.created_at desc
    limit ${sql.lit(BATCHES_BEFORE)}`;
}
