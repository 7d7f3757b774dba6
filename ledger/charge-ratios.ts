import { sql, type RawBuilder, type Selectable } from 'kysely';
import { operationOf, type RowSpec, type Step, type TtsMode } from '../contract/row-kinds.ts';
import { isRunning, isUnresolved } from './conditions.ts';
import { prepared } from './prepared.ts';
import type { ChargeRatiosTable, Db, Tx } from './schema.ts';

/** What a batch under a budget has been charged for its steps, beside its quotes. A trigger keeps it; see the migration `0042-charge-ratios`. */

/** Of so many earlier batches the charges count: one odd charge is forgotten in time. */
const BATCHES_BEFORE = 3;

/** The line of a step. */
export type StepRatio = Selectable<ChargeRatiosTable>;

/** Whose steps: what decides by which operations they are carried out, and so at which price. */
export interface RatioOwner {
  readonly batch: string;
  readonly spec: RowSpec;
  readonly tts: TtsMode;
}

const selectRatios = prepared((tx, { batch }: { batch: string }) =>
  tx.selectFrom('charge_ratios').selectAll().where('batch', '=', batch),
);

/** The ratios of all steps of a batch that were sent under a budget, with these among them. */
export async function ratiosOf(
  tx: Tx,
  owner: RatioOwner,
  steps: readonly Step[],
): Promise<ReadonlyMap<Step, StepRatio>> {
  const known = await selectRatios(tx, owner);
  const missing = steps.filter((step) => !known.some((one) => one.step === step));
  for (const step of missing) await addRatio(tx, owner, step);
  const lines = missing.length === 0 ? known : await selectRatios(tx, owner);
  return new Map(lines.map((line) => [line.step, line]));
}

/** Begins the line of a step with what is known of it: by this batch, if it ran without a budget, and by earlier ones. */
async function addRatio(tx: Tx, owner: RatioOwner, step: Step): Promise<void> {
  const { batch } = owner;
  await sql`
    insert into charge_ratios (batch, step, worst, unquoted, told, ended, earlier)
    select ${batch}, ${step},
      coalesce(max(case when is_told and quoted > 0 then charged / quoted end), 0),
      coalesce(max(case when is_told and coalesce(quoted, 0) <= 0 then charged end), 0),
      coalesce(sum(is_told and finished_at is not null), 0),
      coalesce(sum(finished_at is not null), 0),
      ${await earlierRatio(tx, owner, step)}
    from (
      select quoted, charged, finished_at, charged_from is 'api' and charged > 0 as is_told from charges
      where batch = ${batch} and step = ${step} and state in ('accepted', 'done')
    )`.execute(tx);
}

/** The worst ratio of the last batches of the account that were charged for the step, at the same price. */
async function earlierRatio(tx: Tx, { batch, spec, tts }: RatioOwner, step: Step): Promise<number> {
  const price = sql.lit(`$.prices."${operationOf(spec, step, tts)}"`);
  const before = tx
    .selectFrom('charge_ratios as r')
    .innerJoin('batches as b', 'b.name', 'r.batch')
    .innerJoin('batches as own', (join) =>
      join
        .on('own.name', '=', batch)
        .onRef('own.api_url', '=', 'b.api_url')
        .onRef('own.account', '=', 'b.account')
        .on(sql<boolean>`json_extract(own.settings, ${price}) = json_extract(b.settings, ${price})`),
    )
    .select('r.worst')
    .where('r.step', '=', step)
    .where('r.told', '>', 0)
    .where('r.batch', '<>', batch)
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
  /** What those may be charged beyond what counts for them, at the worst that is known of their steps. */
  readonly beyond: number;
  /** The same of requests whose end may never be known: in doubt, or a job that nobody waits for any longer. */
  readonly beyondLost: number;
}

/** The open requests of these steps. */
export async function openRequestsOf(tx: Db | Tx, batch: string, steps: readonly Step[]): Promise<OpenRequests> {
  const { rows } = await selectOpen(batch, steps).execute(tx);
  return { awaited: 0, beyond: 0, beyondLost: 0, ...rows[0] };
}

const BEYOND = sql.raw(
  `max(0, case when o.quoted > 0 then o.quoted * max(1, k.worst, k.earlier) else k.unquoted end - coalesce(o.charged, o.quoted, 0))`,
);
const IS_AWAITED = sql.raw(`(o.state <> 'unknown' and r.outcome is null and r.take = o.take)`);

/** Reads open requests only, by the indexes of such. */
function selectOpen(batch: string, steps: readonly Step[]): RawBuilder<OpenRequests> {
  const ofBatch = sql`c.batch = ${batch} and c.step in (${sql.join(steps)})`;
  return sql<OpenRequests>`select count(*) filter (where is_awaited) as awaited,
      coalesce(sum(beyond) filter (where is_awaited), 0) as beyond,
      coalesce(sum(beyond) filter (where not is_awaited), 0) as "beyondLost"
    from (
      select ${BEYOND} as beyond, ${IS_AWAITED} as is_awaited from (
        select batch, row, step, take, state, quoted, charged from charges as c where ${ofBatch} and ${isUnresolved('c')}
        union all
        select batch, row, step, take, state, quoted, charged from charges as c where ${ofBatch} and ${isRunning('c')}
      ) as o
      cross join rows as r on r.batch = o.batch and r.row = o.row
      cross join charge_ratios as k on k.batch = o.batch and k.step = o.step
    )`;
}
