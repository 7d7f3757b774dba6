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
import { toSettings } from '../batches/batch-records.ts';
import type { Db, Tx } from '../schema.ts';
import type { ChargeRatiosTable } from '../tables/charges.ts';

/*
 * Ratios of charges to quotes, per operation and quote size, for batches with a budget: how much more than its quote a
 * request may cost. A trigger maintains the table `charge_ratios`; an operation has lines in it from its first request
 * under a budget on.
 */

/** Max earlier batches whose ratios count: so few, so that a single odd charge is forgotten in time. */
const MAX_EARLIER_BATCHES = 3;

/** The line of an operation and a quote size (`sizeOf`). Each operation has at least the line of size 0. */
export type OperationRatio = Selectable<ChargeRatiosTable>;

/** A row's batch and request, which determine the operations that carry out its steps. */
export interface RatioOwner {
  readonly batch: string;
  readonly spec: RowSpec;
  readonly tts: TtsMode;
}

const selectRatios = prepared((tx, { batch }: { batch: string }) =>
  tx.selectFrom('charge_ratios').selectAll().where('batch', '=', batch),
);

/** Reads the ratios of all operations of a batch that were sent under a budget, by size. */
export async function readRatios(tx: Db | Tx, batch: string): Promise<readonly OperationRatio[]> {
  return selectRatios(tx, { batch });
}

/** The ratios that apply to a step. */
export interface RatiosOfStep {
  readonly operation: Operation;
  /** The operation's ratios, by size. */
  readonly ratios: readonly OperationRatio[];
}

/** The ratios that apply to a row. */
export interface RatiosOfRow {
  /** Ratios of its steps, in order. */
  readonly ofSteps: readonly RatiosOfStep[];
  /** Ratios of all the batch's operations. */
  readonly all: readonly OperationRatio[];
}

/** Reads the ratios of a batch; creates the lines of the row's operations if they are missing. */
export async function ratiosOf(tx: Tx, owner: RatioOwner): Promise<RatiosOfRow> {
  const { batch, spec, tts } = owner;
  const steps = stepsIn(spec).map((step) => ({ step, operation: operationOf(spec, step, tts) }));
  const known = await readRatios(tx, batch);
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
 * Creates the missing lines of these operations, and of those with open requests, which may have been sent before the
 * batch had a budget, or by an earlier version. Returns all lines of the batch.
 */
export async function beginRatios(
  tx: Tx,
  batch: string,
  needed: readonly NeededOperation[] = [],
): Promise<readonly OperationRatio[]> {
  const known = await readRatios(tx, batch);
  const { rows: open } = await selectOpenOperations(batch).execute(tx);
  const stepFor = new Map([...open, ...needed].map(({ operation, step }) => [operation, step]));
  for (const { operation } of known) stepFor.delete(operation);
  for (const [operation, step] of stepFor) await addRatio(tx, batch, step, operation);
  return readRatios(tx, batch);
}

function selectOpenOperations(batch: string): RawBuilder<NeededOperation> {
  const ofBatch = sql`from charges as c where c.batch = ${batch} and c.operation is not null`;
  return sql`select c.operation, c.step ${ofBatch} and ${isUnresolved('c')}
    union
    select c.operation, c.step ${ofBatch} and ${isUnpriced('c')}`;
}

/** `sizeOf` as an SQL expression. */
export function sizeInSql(quoted: string): string {
  const sizes = SIZES.map((size) => `when ${quoted} <= ${String(size)} then ${String(size)}`);
  return `case when coalesce(${quoted}, 0) <= 0 then 0 ${sizes.join(' ')} else ${String(SIZES.at(-1))} end`;
}

/**
 * Creates an operation's lines from known charges: this batch's own, if it ran without a budget, and those of earlier
 * batches.
 */
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
      where r.operation = ${operation} and r.batch in (${earlierBatches(batch, operation, price)})
    ) as known group by size`.execute(tx);
}

/** The account's latest batches that ran the operation under a budget at the same price. */
function earlierBatches(batch: string, operation: Operation, price: string): RawBuilder<string> {
  return sql<string>`
    select b.name from batches as own
    join batches as b on b.api_url = own.api_url and b.account = own.account and b.name <> own.name
    where own.name = ${batch}
      and exists (select 1 from charge_ratios as k where k.batch = b.name and k.operation = ${operation} and k.price = ${price})
    order by b.created_at desc
    limit ${sql.lit(MAX_EARLIER_BATCHES)}`;
}

/**
 * The possible cost of a batch's open requests: attempts without a verdict or in doubt, and running jobs whose charge
 * may still change. `beyond…`: in credits.
 */
export interface OpenRequests {
  /** Number of requests that somebody waits for, so that their end will change the sums. */
  readonly awaited: number;
  /** Possible charges of those requests beyond their charge or quote, at the worst known ratio of their operations. */
  readonly beyond: number;
  /** Likewise for requests whose end may never be known: those in doubt, and jobs that nobody waits for. */
  readonly beyondLost: number;
}

/** Selects requests of this operation whose quotes have the same size (`sizeOf`) as `quoted`, in credits. */
export interface RequestsAlike {
  readonly operation: Operation;
  readonly quoted: number;
}

const selectOpen = prepared((db, { batch }: { batch: string }) => {
  const of = (condition: typeof isUnresolved) =>
    db
      .selectFrom('charges as c')
      // The reverse join order would scan a batch of a million rows from the beginning.
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

/** Sums up the open requests of a batch; with `alike`, only those. Uses the indexes on open requests. */
export async function openRequestsOf(tx: Db | Tx, batch: string, alike?: RequestsAlike): Promise<OpenRequests> {
  const ratios = await readRatios(tx, batch);
  const sums = { awaited: 0, beyond: 0, beyondLost: 0 };
  for (const { operation, quoted, charged, is_awaited } of await selectOpen(tx, { batch })) {
    const isAlike = operation === alike?.operation && sizeOf(quoted ?? 0) === sizeOf(alike.quoted);
    if (alike !== undefined && !isAlike) continue;
    const own: readonly ChargeRatio[] = ratios.filter((one) => one.operation === operation);
    // For an operation not yet under a budget, only its quote is known.
    const beyond = Math.max(0, countedFor(quoted ?? 0, [own]) - (charged ?? quoted ?? 0));
    if (is_awaited === 1) {
      sums.awaited += 1;
      sums.beyond += beyond;
    } else sums.beyondLost += beyond;
  }
  return sums;
}

/** Possible costs of a batch's open and future requests. */
export interface ChargeOutlook {
  /** Charges compared with quotes, by operation and size; none for operations not sent under a budget. */
  readonly ratios: readonly (ChargeRatio & { readonly operation: Operation })[];
  /** See {@link OpenRequests}. */
  readonly beyondLost: number;
}

/**
 * Steps of an open batch with a budget whose prices are estimates, and of which only a few requests are sent until one
 * has ended and its real charge is known.
 */
export async function stepsWithUnknownCharge(db: Db, batch: string): Promise<readonly Step[]> {
  const found = await findBatch(db, batch);
  if (found?.state !== 'open' || found.settings.budget === null) return [];
  const { prices } = found.settings;
  const lines = await readRatios(db, batch);
  const begun = lines.filter(({ operation }) => priceIn(prices, operation).estimate);
  const untold = begun.filter(({ operation }) => !isChargeKnown(lines.filter((line) => line.operation === operation)));
  return [...new Set(untold.map(({ step }) => step))].toSorted();
}

/** Possible costs of the batch's requests, based on the charges under a budget so far. */
export async function chargeOutlook(db: Db, batch: string): Promise<ChargeOutlook> {
  const ratios = await readRatios(db, batch);
  const { beyondLost } = await openRequestsOf(db, batch);
  return { ratios, beyondLost };
}
