import type { Compilable } from 'kysely';
import type { Failure } from '../contract/failures.ts';
import { roundCredits } from '../contract/price-units.ts';
import { committed, DUST } from './budgets.ts';
import type { Intent } from './charge-methods.ts';
import { isNoPart, isPart, isUntouched } from './conditions.ts';
import { endingColumns } from './ending-columns.ts';
import { updateRow } from './line-changes.ts';
import { unsentBeside, withParts, type UnsentPart } from './part-budgets.ts';
import { toFallback, toTake } from './records.ts';
import type { RowEnding } from './row-effects.ts';
import type { Db, RowLine, Tx } from './schema.ts';
import { readSums } from './sums.ts';
import { isUnsent } from './unsent-rows.ts';

/**
 * How rows end that a budget has no room for. One that nothing was sent for is `skipped`. One whose retake does not fit
 * ends as it would have without retakes: `unfit` with the best result so far, or `failed` with its job.
 */

/** Max untouched rows to end together with one that does not fit. The next one ends the others. */
const MOST_SKIPPED = 2_000;
/** Max characters of a message. */
const LONGEST = 500;

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
 * `mayBeFree`, the others are left alone: an earlier result may do for any of them. Returns how the row has ended.
 */
export async function endOverBudget(
  tx: Tx,
  row: RowLine,
  { budget, mayBeFree, isAgain }: OverBudget,
  intent: Intent,
): Promise<RowEnding> {
  const { settled } = committed(await readSums(tx, row.batch), row);
  const parts = await unsentBeside(tx, row);
  const sums = sumsInWords(budget, settled, costInWords(intent, row, parts));
  const charged = await chargedFor(tx, row);
  const ending = await endUnsent(tx, row, { sums, charged, isAgain });
  for (const part of parts) await endUnsent(tx, part, { sums, charged, isAgain: false });
  if (mayBeFree) return ending;
  const others = await selectUntouched(tx, row.batch, budget - settled + DUST).execute();
  const skipped = skippedFor({ sums: sumsInWords(budget, settled), charged: 0, isAgain: false });
  for (const other of others) await updateRow(tx, { batch: row.batch, row: other.row }, endingColumns(skipped));
  return ending;
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

/** Why a request is not sent. */
interface Unsent extends Pick<OverBudget, 'isAgain'> {
  /** The budget, and what it would take, in words. */
  readonly sums: string;
  /** What the row has cost before. */
  readonly charged: number;
}

async function endUnsent(tx: Tx, line: UnsentPart, why: Unsent): Promise<RowEnding> {
  const ending = endingOf(toFallback(line.fallback)?.ending, await failureBefore(tx, line), why);
  await updateRow(tx, line, endingColumns(ending));
  return ending;
}

/** `kept`: the best result of its earlier takes; `failed`: why the job failed whose retake this was to be. */
function endingOf(kept: RowEnding | undefined, failed: Failure | undefined, why: Unsent): RowEnding {
  if (kept !== undefined) {
    const { failure } = kept;
    return failure === undefined
      ? kept
      : { ...kept, failure: withWords(failure, `No further take: it would exceed ${why.sums}.`) };
  }
  if (failed === undefined) return skippedFor(why);
  return { outcome: 'failed', failure: withWords(failed, notSent({ ...why, isAgain: true })) };
}

/** Why the job failed that a take was made for by itself, if nothing was sent in that take. */
async function failureBefore(tx: Tx, { batch, row, take }: UnsentPart): Promise<Failure | undefined> {
  const retake = await tx
    .selectFrom('takes')
    .innerJoin('rows', (join) =>
      join
        .onRef('rows.batch', '=', 'takes.batch')
        .onRef('rows.row', '=', 'takes.row')
        .onRef('rows.take', '=', 'takes.take'),
    )
    .selectAll('takes')
    .where('takes.batch', '=', batch)
    .where('takes.row', '=', row)
    .where('takes.take', '=', take)
    // After a request in doubt the row may still get what it asked for: that is no failure.
    .where('takes.reason', '=', 'retake')
    .where(isUnsent('rows', 'in-this-take'))
    .executeTakeFirst();
  return retake === undefined ? undefined : (toTake(retake).before.failure ?? undefined);
}

function skippedFor(why: Unsent): RowEnding {
  return { outcome: 'skipped', failure: { class: 'OverBudget', message: notSent(why) } };
}

function notSent({ sums, charged, isAgain }: Unsent): string {
  return `Not sent${isAgain ? ' again' : ''}: it would exceed ${sums}. ${charged === 0 ? 'Nothing was charged.' : `The row has cost ${credits(charged)} before.`}`;
}

/** A failure, with the word that there was no other chance. */
function withWords(failure: Failure, words: string): Failure {
  return { ...failure, message: `${failure.message.slice(0, LONGEST - words.length - 1)} ${words}` };
}

/** `the budget of 5 credits (4 spent or reserved, this row costs 2)` */
function sumsInWords(budget: number, spent: number, costs?: string): string {
  return `the budget of ${credits(budget)} credits (${credits(spent)} spent or reserved${costs === undefined ? '' : `, ${costs}`})`;
}

/** What was to be sent and its price; undefined: nobody knows the price. `parts`: the unsent ones beside a part. */
function costInWords(intent: Intent, row: RowLine, parts: readonly UnsentPart[]): string | undefined {
  if (intent.quoted === null) return undefined;
  const cost = credits(intent.quoted + (withParts(intent, parts).quotedRest ?? 0));
  if (row.part_of === null) return `this row costs ${cost}`;
  return parts.length === 0 ? `this part costs ${cost}` : `its ${credits(parts.length + 1)} unsent parts cost ${cost}`;
}

/** `10,400.5` */
function credits(value: number): string {
  return roundCredits(value).toLocaleString('en-US', { maximumFractionDigits: 6 });
}
