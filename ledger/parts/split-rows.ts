import { hasResult, OUTCOME_FACTS, OUTCOMES, type Outcome } from '../../contract/outcomes.ts';
import { reopenClosed } from '../batches/reopen-closed.ts';
import { isPart, ofRow } from '../conditions.ts';
import { preparedEach } from '../database/prepared.ts';
import { setRow, type RowKey } from '../rows/line-changes.ts';
import { selectLines } from '../rows/rows.ts';
import { failureColumns, toFailure, toFile } from '../records.ts';
import type { TakeRecord } from '../takes/take-records.ts';
import type { RowLine, Tx } from '../schema.ts';

/*
 * A split row, whose text is spoken in parts, makes no request; its state follows its parts. It is `blocked` while any
 * part is open, and `fetching`, so that a worker joins the parts, once all have results. If all have ended and some
 * have no result, it ends like the gravest of them. A worker that holds the row loses it whenever a part changes.
 * `whole`: a split row, as opposed to its parts.
 */

/** Outcomes of parts without a result, the gravest first. */
const GRAVE: readonly Outcome[] = OUTCOMES.filter((outcome) => !hasResult(outcome)).toSorted(
  (a, b) => OUTCOME_FACTS[b].severity - OUTCOME_FACTS[a].severity,
);
/** Max parts named per outcome in a message. */
const MAX_NAMED = 5;
/** Max length of a message, in characters. */
const MAX_MESSAGE_LENGTH = 500;

/** What is needed of a part. */
type PartLine = Pick<RowLine, 'batch' | 'row' | 'take' | 'outcome' | 'part_of'>;

/**
 * Updates the split rows of these parts, after the parts have ended, reopened or got another take. All rows given are
 * of one batch; those that are not parts are ignored.
 */
export async function settleSplitRows(tx: Tx, changed: readonly PartLine[]): Promise<void> {
  // Any part stands for its row, but the newest take counts.
  const byWhole = new Map<number | null, PartLine>();
  for (const part of changed.toSorted((one, other) => one.take - other.take)) byWhole.set(part.part_of, part);
  byWhole.delete(null);
  const keys = [...byWhole].flatMap(([row, { batch }]) => (row === null ? [] : [{ batch, row }]));
  const wholes = await selectLines(tx, keys);
  const open = new Set((await selectOpenPart(tx, keys)).map(({ part_of }) => part_of));
  const parts = await selectParts(
    tx,
    keys.filter(({ row }) => !open.has(row)),
  );
  const now = tx.now();
  let isAnyOpen = false;
  for (const whole of wholes) {
    const part = byWhole.get(whole.row);
    if (part === undefined) continue;
    const take = await takeWith(tx, whole, part, now);
    const own = parts.filter(({ part_of }) => part_of === whole.row);
    const change = { ...take, ...changeAfter(whole, part, own, now) };
    if (Object.keys(change).length > 0) await setRow(tx, whole, change);
    isAnyOpen ||= { ...whole, ...change }.outcome === null;
  }
  const [first] = wholes;
  if (isAnyOpen && first !== undefined) await reopenClosed(tx, first.batch);
}

/** Selects one open part of a split row. */
const selectOpenPart = preparedEach((db, { batch, row }: RowKey) =>
  db
    .selectFrom('rows')
    .select('part_of')
    .where('batch', '=', batch)
    .where('part_of', '=', row)
    .where(isPart('rows'))
    .where('outcome', 'is', null)
    .limit(1),
);

const selectParts = preparedEach((db, { batch, row }: RowKey) =>
  db
    .selectFrom('rows')
    .select(['part_of', 'row', 'id', 'outcome', 'failure', 'ended_at'])
    .where('batch', '=', batch)
    .where('part_of', '=', row)
    .where(isPart('rows'))
    .orderBy('row'),
);

/**
 * If a part got a new take, or the split row loses its file, gives it a take, too, and records its state before.
 * Returns the changed columns.
 */
async function takeWith(tx: Tx, whole: RowLine, part: PartLine, now: number): Promise<Partial<RowLine>> {
  const take = Math.max(whole.take + (whole.file === null ? 0 : 1), part.take);
  if (take === whole.take) return {};
  const why = await tx
    .selectFrom('takes')
    .select(['reason', 'from_step', 'made_at'])
    .where(ofRow(part))
    .where('take', '=', part.take)
    .executeTakeFirst();
  const before: TakeRecord['before'] = {
    outcome: whole.outcome,
    failure: toFailure(whole.failure),
    file: toFile(whole.file),
    extraFiles: [],
  };
  await tx
    .insertInto('takes')
    .values({
      ...{ batch: whole.batch, row: whole.row, take, before: JSON.stringify(before) },
      // A part in its first take has no record of why.
      ...(why ?? { reason: 'redrive', from_step: 'speech', made_at: now }),
    })
    .execute();
  return { take };
}

/**
 * Returns the columns of a split row after a part has changed. `part`: that part. `parts`: all parts, if none is open;
 * else empty.
 */
function changeAfter(whole: RowLine, part: PartLine, parts: readonly EndedPart[], now: number): Partial<RowLine> {
  const opened = { outcome: null, ...failureColumns(null), file: null, ended_at: null };
  // From the worker that holds it.
  const taken = { lane: null, hold: whole.hold + 1, updated_at: now };
  if (part.outcome === null) {
    return whole.outcome === null && whole.state === 'blocked' ? {} : { ...opened, ...taken, state: 'blocked' };
  }
  if (parts.length === 0) return {};
  const [gravest, ...others] = parts
    .filter(({ outcome }) => !hasResult(outcome))
    .toSorted((one, other) => gravityOf(one) - gravityOf(other));
  if (gravest === undefined) return { ...opened, ...taken, state: 'fetching' };
  const failure = toFailure(gravest.failure);
  const message = failure === null ? '' : wordsOf([gravest, ...others], parts, failure.message);
  return {
    ...taken,
    // A row with an unfit part has no file, so it has failed.
    outcome: gravest.outcome === 'unfit' ? 'failed' : gravest.outcome,
    ...failureColumns(failure === null ? null : { ...failure, message }),
    file: null,
    ended_at: gravest.ended_at,
  };
}

type EndedPart = Pick<RowLine, 'row' | 'id' | 'outcome' | 'failure' | 'ended_at'>;

function gravityOf({ outcome }: EndedPart): number {
  return outcome === null ? -1 : GRAVE.indexOf(outcome);
}

/** `2 of 9 parts have no result: 1 unknown (ch1#2), 1 failed (ch1#4). Part 2 of 9 (ch1#2) ended unknown: …` */
function wordsOf(missing: readonly EndedPart[], parts: readonly EndedPart[], message: string): string {
  const [gravest] = missing;
  const groups = GRAVE.flatMap((name) => {
    const alike = missing.filter(({ outcome }) => outcome === name);
    const ids = alike.slice(0, MAX_NAMED).map(({ id }) => id);
    const more = alike.length > MAX_NAMED ? ' …' : '';
    return alike.length === 0 ? [] : `${String(alike.length)} ${name} (${ids.join(', ')}${more})`;
  });
  const all = String(parts.length);
  const names =
    missing.length === 1 ? '' : `${String(missing.length)} of ${all} parts have no result: ${groups.join(', ')}. `;
  const at = String(parts.findIndex((part) => part.row === gravest?.row) + 1);
  const words = `${names}Part ${at} of ${all} (${gravest?.id ?? ''}) ended ${gravest?.outcome ?? ''}: ${message}`;
  return Array.from(words).slice(0, MAX_MESSAGE_LENGTH).join('');
}
