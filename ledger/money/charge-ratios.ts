import { readBatchLine, findBatch } from '../batches/read-batches.ts';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import {
  type Operation,
  operationOf,
  priceIn,
  type RowSpec,
  type Step,
  stepsIn,
  type TtsMode,
} from '../../contract/row-kinds.ts';
import { SIZES, countedFor, sizeOf, type ChargeRatio, isChargeKnown } from '../../policy/money/charge-ratio.ts';
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

const selectOpen = prepared((db, { batch }: { batch: string }) => {
  const of = (condition: typeof isUnresolved) =>
    db
      .selectFrom('charges as c')
      // The other way round, a batch of a million rows is read from its beginning.
      .crossJoin('rows as r')
      .select(['c.operation', 'c.quoted', 'c.charged'])
      .select(
        sql<0 | 1>`case when c.state <> 'unknown' and r.outcome is null and r.take = c.take then 1 else 0 end`.as(
          'is_awaited',
        ),
      )
      .where('c.batch', '=', batch)
      .where(condition('c'))
      .whereRef('r.batch', '=', 'c.batch')
      .whereRef('r.row', '=', 'c.row');
  return of(isUnresolved).unionAll(of(isUnpriced));
});

/** The open requests of a batch: all of them, or those alike. Reads them by the indexes of such. */
export async function openRequestsOf(tx: Db | Tx, batch: string, alike?: RequestsAlike): Promise<OpenRequests> {
  const ratios = await knownRatios(tx, batch);
  const sums = { awaited: 0, beyond: 0, beyondLost: 0 };
  for (const { operation, quoted, charged, is_awaited } of await selectOpen(tx, { batch })) {
    const isAlike = operation === alike?.operation && sizeOf(quoted ?? 0) === sizeOf(alike.quoted);
    if (alike !== undefined && !isAlike) continue;
    const own: readonly ChargeRatio[] = ratios.filter((one) => one.operation === operation);
    // Of an operation that is not under a budget yet, no more is known than its quote.
    const beyond = Math.max(0, countedFor(quoted ?? 0, [own]) - (charged ?? quoted ?? 0));
    if (is_awaited === 1) {
      sums.awaited += 1;
      sums.beyond += beyond;
    } else sums.beyondLost += beyond;
  }
  return sums;
}

/** What open and further requests of a batch may cost. */
export interface ChargeOutlook {
  /** What was charged beside the quotes, by operation and size; none for those that were not sent under a budget. */
  readonly ratios: readonly (ChargeRatio & { readonly operation: Operation })[];
  /** What requests whose charge may never be known may have cost beyond what counts for them, in credits. */
  readonly beyondLost: number;
}

/**
 * Steps of which few requests go at once, until one has told what the API charges: the batch has a budget, and their
 * prices are estimates.
 */
export async function untoldSteps(db: Db, batch: string): Promise<readonly Step[]> {
  const found = await findBatch(db, batch);
  if (found?.state !== 'open' || found.settings.budget === null) return [];
  const { prices } = found.settings;
  const lines = await knownRatios(db, batch);
  const begun = lines.filter(({ operation }) => priceIn(prices, operation).estimate);
  const untold = begun.filter(({ operation }) => !isChargeKnown(lines.filter((line) => line.operation === operation)));
  return [...new Set(untold.map(({ step }) => step))].toSorted();
}

/** What requests of the batch may cost, by what was charged under a budget so far. */
export async function chargeOutlook(db: Db, batch: string): Promise<ChargeOutlook> {
  const ratios = await knownRatios(db, batch);
  const { beyondLost } = await openRequestsOf(db, batch);
  return { ratios, beyondLost };
}
