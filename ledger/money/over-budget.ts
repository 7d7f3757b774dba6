import type { Compilable } from 'kysely';
import type { Failure } from '../../contract/failures.ts';
import type { Dialect } from '../../contract/dialects.ts';
import { dialectOf, stepsIn, type Kind } from '../../contract/row-kinds.ts';
import { DUST } from '../../policy/money/room.ts';
import type { BudgetAnswer } from './budget-room.ts';
import type { Intent } from '../requests/intent-records.ts';
import { isNoPart, isPart, isUntouched, SENT } from '../conditions.ts';
import { endingColumns, updateRows, type LineChange } from '../rows/update-row.ts';
import { selectCharges } from '../rows/row-in-transaction.ts';
import {
  describeCost,
  notSentMessage,
  describeBudget,
  NO_CHARGES,
  withNotResent,
  withMessageAppended,
  type EarlierCharges,
  type NotSent,
} from './over-budget-messages.ts';
import { unsentBeside } from '../parts/part-budgets.ts';
import { toSpec } from '../rows/row-records.ts';
import { type RowEnding, toFallback } from '../rows/row-effects.ts';
import type { Db, RowLine, Tx } from '../schema.ts';
import { takesOf } from '../takes/takes.ts';
import { prefetchUndo, undoTake, type UndoneTake } from '../takes/undo-take.ts';

/*
 * How rows end when the budget has no room for their request. A row of which nothing was sent ends `skipped`. A row
 * whose automatic retake does not fit ends as it would have without retakes: `unfit` with the best result so far, or
 * `failed` with its job. A row whose request in doubt is not sent again keeps its outcome, `unknown` or `overdue`.
 */

/** Max untouched rows ended together with a row that does not fit. The next row that does not fit ends more. */
const MAX_SKIPPED = 1_000;

/** Facts about a budget that is too small for a request. */
interface OverBudget {
  /** In credits. */
  readonly budget: number;
  /** Whether other rows may be able to reuse earlier results. */
  readonly mayBeFree: boolean;
  /** Whether the request was to be sent once more, for a further take. */
  readonly isAgain: boolean;
  /** The budget's answer to the request. */
  readonly answer: BudgetAnswer;
}

/**
 * Ends a row whose request does not fit; if it is a part, also the other unsent parts of its row. Also ends untouched
 * rows that cost more than is left, which saves checking each of them; not with `mayBeFree`, because each may still
 * reuse an earlier result. Returns the row's ending.
 */
export async function endOverBudget(
  tx: Tx,
  row: RowLine,
  { budget, mayBeFree, isAgain, answer }: OverBudget,
  intent: Intent,
): Promise<RowEnding> {
  const { settled, counted } = answer;
  const parts = await unsentBeside(tx, row);
  const sums = describeBudget(budget, settled, describeCost(intent, row, parts, counted));
  const before = await earlierCharges(tx, row);
  prefetchUndo(tx, [row, ...parts]);
  const { ending, columns } = await unsentEnding(tx, row, { sums, before, isAgain });
  const changes: LineChange[] = [{ line: row, change: { ...endingColumns(ending, tx.now()), ...columns } }];
  for (const part of parts) {
    const its = await unsentEnding(tx, part, { sums, before, isAgain: false });
    changes.push({ line: part, change: { ...endingColumns(its.ending, tx.now()), ...its.columns } });
  }
  await updateRows(tx, changes);
  if (mayBeFree) return ending;
  /** Rows with higher quotes do not fit, even if all open requests turn out to be free. */
  const above = budget - settled + DUST;
  const others = await selectUntouched(tx, row.batch, above, likeThis(row, intent, above, counted)).execute();
  const skipped = skippedFor({ sums: describeBudget(budget, settled), before: NO_CHARGES, isAgain: false });
  const change = endingColumns(skipped, tx.now());
  await updateRows(
    tx,
    others.map((line) => ({ line, change })),
  );
  return ending;
}

/**
 * Rows of one kind and dialect that make a single request each, and so use a single operation. `above`: only those with
 * higher quotes, in credits.
 */
interface LikeRows {
  readonly kind: Kind;
  readonly dialect: Dialect;
  readonly above: number;
}

/**
 * Rows like this one, whose charges exceed their quotes by the same factor; undefined if this row needs several
 * requests, or is not expected to cost more than its quote.
 */
function likeThis(row: RowLine, { quoted }: Intent, above: number, counted: number | null): LikeRows | undefined {
  // A part is counted together with its siblings.
  if (row.part_of !== null || quoted === null || counted === null || counted <= quoted || quoted <= 0) return undefined;
  const spec = toSpec(row);
  if (stepsIn(spec).length > 1) return undefined;
  return { kind: row.kind, dialect: dialectOf(spec), above: (above * quoted) / counted };
}

/**
 * Selects rows without any request whose quotes are above this; of rows `like` those, also ones above their own limit.
 * No parts: these end with their row. Exported for the test of its query plan.
 */
export function selectUntouched(
  tx: Db | Tx,
  batch: string,
  above: number,
  like?: LikeRows,
): Compilable & { execute(): Promise<RowLine[]> } {
  return tx
    .selectFrom('rows')
    .selectAll()
    .where('batch', '=', batch)
    .where(isUntouched('rows'))
    .where('quoted', '>', like?.above ?? above)
    .where((eb) =>
      eb.or([
        eb('quoted', '>', above),
        ...(like === undefined
          ? []
          : [
              eb.and([
                eb('kind', '=', like.kind),
                // Null stands for the default.
                eb(eb.fn.coalesce('dialect', eb.val<Dialect>('v1')), '=', like.dialect),
                eb('verify', 'is', null),
              ]),
            ]),
      ]),
    )
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
    .limit(MAX_SKIPPED);
}

/** What the row has cost so far, or if it is a part, all parts of its row: over all steps and takes. */
async function earlierCharges(tx: Tx, { batch, row, part_of: whole }: RowLine): Promise<EarlierCharges> {
  const { charged, inDoubt } = await tx
    .selectFrom('charges')
    .select((eb) => [
      eb.fn.sum<number | null>('charged').as('charged'),
      eb.fn.countAll<number>().filterWhere('state', '=', 'unknown').as('inDoubt'),
    ])
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
  return { charged: charged ?? 0, inDoubt };
}

/** How a row ends whose request is not sent; `columns`: if its take is undone, those that put it back. */
async function unsentEnding(
  tx: Tx,
  line: RowLine,
  why: NotSent,
): Promise<{ readonly ending: RowEnding; readonly columns?: UndoneTake['columns'] }> {
  const undone = await undoTake(tx, line);
  if (undone !== undefined) return { ending: asBefore(undone.ending, why), columns: undone.columns };
  return { ending: endingOf(toFallback(line.fallback)?.ending, await failureBefore(tx, line), why) };
}

/** The earlier ending of a row whose take is undone, with the reason why it is not sent again. */
function asBefore(ending: RowEnding, { sums }: NotSent): RowEnding {
  const { failure } = ending;
  return failure === undefined ? ending : { ...ending, failure: withNotResent(failure, sums) };
}

/** `kept`: the best ending of its earlier takes; `failed`: why the job failed that this take was to replace. */
function endingOf(kept: RowEnding | undefined, failed: Failure | undefined, why: NotSent): RowEnding {
  if (kept !== undefined) {
    const { failure } = kept;
    return failure === undefined
      ? kept
      : { ...kept, failure: withMessageAppended(failure, `No further take: it would exceed ${why.sums}.`) };
  }
  if (failed === undefined) return skippedFor(why);
  return { outcome: 'failed', failure: withMessageAppended(failed, notSentMessage({ ...why, isAgain: true })) };
}

/** The job failure that caused this automatic take, if nothing was sent in this take. */
async function failureBefore(tx: Tx, { batch, row, take }: RowLine): Promise<Failure | undefined> {
  if (take === 1) return undefined;
  const made = (await takesOf(tx, batch, row)).find((one) => one.take === take && one.reason === 'retake');
  if (made === undefined) return undefined;
  const charges = await selectCharges(tx, { batch, row });
  if (charges.some((one) => one.take === take && SENT.includes(one.state))) return undefined;
  return made.before.failure ?? undefined;
}

function skippedFor(why: NotSent): RowEnding {
  return { outcome: 'skipped', failure: { class: 'OverBudget', message: notSentMessage(why) } };
}
