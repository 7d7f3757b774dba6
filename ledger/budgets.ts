import type { Compilable } from 'kysely';
import type { BatchSettings } from '../contract/batch.ts';
import type { Tunables, Tuning } from '../contract/tunables.ts';
import type { Failure } from '../contract/failures.ts';
import { roundCredits } from '../contract/price-units.ts';
import { applyTuning } from '../policy/tuning.ts';
import { requireBatch } from './batches.ts';
import { isNoPart, isPart, isUntouched } from './conditions.ts';
import type { Intent } from './charge-methods.ts';
import { endingColumns } from './ending-columns.ts';
import { updateRow } from './line-changes.ts';
import { unsentBeside, withParts } from './part-budgets.ts';
import { toFallback } from './records.ts';
import { readSums, type Sums } from './sums.ts';
import type { RowEnding } from './row-effects.ts';
import type { Db, RowLine, Tx } from './schema.ts';
import { write } from './transactions.ts';

/**
 * The budget of a batch. The transaction that records an intent checks it, so any number of workers together never exceed it, provided
 * that the API charges what was quoted.
 *
 * The committed sum has three parts: what was charged, the quotes of unknown requests and of requests in flight, and what started rows
 * need for their later steps and, if they are spoken in parts, for their unsent parts. So no row is left half paid.
 */

/** Whether a request may be made: `later` if it fits once a request in flight turns out to be free. */
export type Room = 'room' | 'later' | 'none';

/** Max untouched rows to end together with one that does not fit. The next one ends the others. */
const MOST_SKIPPED = 2_000;
/** Binary fractions must not make 0.1 + 0.2 exceed 0.3. */
const DUST = 1e-6;
/** Max characters of a message. */
const LONGEST = 500;

export function roomFor(sums: Sums, row: RowLine, budget: number, intent: Intent): Room {
  if (intent.quoted === null || intent.quotedRest === null) return 'none';
  const { settled, onTheWire } = committed(sums, row);
  const needs = settled + intent.quoted + intent.quotedRest;
  if (needs > budget + DUST) return 'none';
  return needs + onTheWire > budget + DUST ? 'later' : 'room';
}

/**
 * What the batch has spent or may have spent; `onTheWire` may still turn out to be free. Without what is reserved for
 * this row.
 */
function committed(sums: Sums, row: RowLine): { settled: number; onTheWire: number } {
  const others = sums.promised - (row.outcome === null ? row.promised : 0);
  return { settled: sums.charged + sums.unknown_quoted + others, onTheWire: sums.sending_quoted };
}

/** A budget that is too small for a request. */
interface OverBudget {
  /** In credits. */
  readonly budget: number;
  /** Earlier results may do for other rows. */
  readonly mayBeFree: boolean;
  /** The request was to be made again, for a further take. */
  readonly isAgain: boolean;
}

/**
 * Ends a row that does not fit, if it is a part also the other unsent parts, and all untouched rows that cost more than is left, to save asking for each. With
 * `mayBeFree`, the others are left alone: an earlier result may do for any of them.
 */
export async function skip(
  tx: Tx,
  row: RowLine,
  { budget, mayBeFree, isAgain }: OverBudget,
  intent: Intent,
): Promise<void> {
  const { settled } = committed(await readSums(tx, row.batch), row);
  const parts = await unsentBeside(tx, row);
  const { quotedRest } = withParts(intent, parts);
  const cost = intent.quoted === null ? null : intent.quoted + (quotedRest ?? 0);
  const spent = await chargedFor(tx, row);
  const why = whySkipped(budget, settled, cost, { charged: spent, isAgain });
  const kept = toFallback(row.fallback);
  if (kept === undefined) await endSkipped(tx, row.batch, [row.row], why);
  else await updateRow(tx, row, endingColumns(withoutRetake(kept.ending, sumsInWords(budget, settled, cost))));
  const unsent = parts.map((part) => part.row);
  await endSkipped(tx, row.batch, unsent, why);
  if (mayBeFree) return;
  const others = await selectUntouched(tx, row.batch, budget - settled + DUST).execute();
  await endSkipped(
    tx,
    row.batch,
    others.map((other) => other.row),
    whySkipped(budget, settled, null, { charged: 0, isAgain: false }),
  );
}

/** Rows without any request whose quotes are above this; parts end with the first one of their row. Exported for the test of its query plan. */
export function selectUntouched(
  tx: Db | Tx,
  batch: string,
  above: number,
): Compilable & { execute(): Promise<{ row: number }[]> } {
  return tx
    .selectFrom('rows')
    .select('row')
    .where('batch', '=', batch)
    .where(isUntouched('rows'))
    .where('quoted', '>', above)
    .where(isNoPart('rows'))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('charges')
            .select('charges.row')
            .whereRef('charges.batch', '=', 'rows.batch')
            .whereRef('charges.row', '=', 'rows.row'),
        ),
      ),
    )
    .limit(MOST_SKIPPED);
}

/** What the row, or that of the part, has cost so far, in all its steps and takes. */
async function chargedFor(tx: Tx, { batch, row, part_of: whole }: RowLine): Promise<number> {
  const { charged } = await tx
    .selectFrom('charges')
    .select((eb) => eb.fn.sum<number | null>('charged').as('charged'))
    .where('batch', '=', batch)
    .where((eb) =>
      whole === null
        ? eb('row', '=', row)
        : eb(
            'row',
            'in',
            tx
              .selectFrom('rows')
              .select('row')
              .where('batch', '=', batch)
              .where('part_of', '=', whole)
              .where(isPart('rows')),
          ),
    )
    .executeTakeFirstOrThrow();
  return charged ?? 0;
}

/** `charged`: what the row has cost before. */
function whySkipped(
  budget: number,
  spent: number,
  cost: number | null,
  { charged, isAgain }: Pick<OverBudget, 'isAgain'> & { readonly charged: number },
): Failure {
  const message = `Not sent${isAgain ? ' again' : ''}: it would exceed ${sumsInWords(budget, spent, cost)}. ${charged === 0 ? 'Nothing was charged.' : `The row has cost ${roundCredits(charged)} before.`}`;
  return { class: 'OverBudget', message };
}

/** The kept result of an earlier take, with the word that it had no other chance. */
function withoutRetake(kept: RowEnding, sums: string): RowEnding {
  if (kept.failure === undefined) return kept;
  const why = ` No further take: it would exceed ${sums}.`;
  return { ...kept, failure: { ...kept.failure, message: kept.failure.message.slice(0, LONGEST - why.length) + why } };
}

/** `the budget of 5 credits (4 spent or reserved, this row costs 2)` */
function sumsInWords(budget: number, spent: number, cost: number | null): string {
  const costs = cost === null ? '' : `, this row costs ${roundCredits(cost)}`;
  return `the budget of ${roundCredits(budget)} credits (${roundCredits(spent)} spent or reserved${costs})`;
}

async function endSkipped(tx: Tx, batch: string, rows: readonly number[], failure: Failure): Promise<void> {
  const now = Date.now();
  const ending = { outcome: 'skipped', failure: JSON.stringify(failure), updated_at: now, ended_at: now } as const;
  for (const row of rows) await updateRow(tx, { batch, row }, ending);
}

/** See {@link Ledger.tune}. */
export async function tune(db: Db, batch: string, tuning: Tuning): Promise<Tunables> {
  return write(db, async (tx) => {
    const { settings } = await requireBatch(tx, batch);
    const tuned = applyTuning(settings, tuning);
    const changed: BatchSettings = { ...settings, ...tuned };
    await tx
      .updateTable('batches')
      .set({ settings: JSON.stringify(changed) })
      .where('name', '=', batch)
      .execute();
    return tuned;
  });
}
