import { PRIVATE_COLUMNS, type Step } from '../../contract/row-kinds.ts';
import { roundCredits } from '../../contract/price-units.ts';
import type { Outcome } from '../../contract/outcomes.ts';
import type { FieldChange } from './row-changes.ts';

/**
 * Why a row of a manifest costs money or not.
 *
 * - `cached`: its result already exists.
 * - `equal`: an earlier row of the manifest asks for the same, and pays for it.
 * - `new`: no row of this id has ever been sent.
 * - `changed`: the last row of this id, in `batch`, asked for something else.
 * - `again`: it asked for the same, but has no reusable result. `ended`: its outcome, null if open. `isUncached`: its
 *   batch does not share results (`--cache off`). Default false.
 */
export type RowReason =
  | { readonly type: 'cached' | 'equal' | 'new' }
  | { readonly type: 'changed'; readonly batch: string; readonly changes: readonly FieldChange[] }
  | { readonly type: 'again'; readonly batch: string; readonly ended: Outcome | null; readonly isUncached?: boolean };

/** A row and its reason. Money is in credits. */
export interface ReasonedRow {
  readonly id: string;
  readonly reason: RowReason;
  /** Its price now; null if unknown. */
  readonly quoted: number | null;
  /** Credits saved by the cache. */
  readonly saved: number;
}

/** A sum over rows. Money is in credits. */
export interface ReasonSum {
  readonly rows: number;
  /** Sum of the known prices. */
  readonly quoted: number;
  /** Rows whose price cannot be known. */
  readonly unpriced: number;
  /** Credits saved by the cache. */
  readonly saved: number;
}

/** Rows with one reason: the same fields, with the same values where they are named, against the same batch. */
export interface ReasonGroup extends ReasonSum {
  readonly reason: Extract<RowReason, { readonly batch: string }>;
  /** False if the values in `reason` are those of its first row only. */
  readonly isSame: boolean;
  /** The first of its rows. */
  readonly ids: readonly string[];
}

/** All rows of a manifest by reason. The groups are in order of rows, most first. */
export interface RowReasons {
  readonly cached: ReasonSum;
  readonly equal: ReasonSum;
  readonly new: ReasonSum;
  readonly changed: ReasonSum & { readonly groups: readonly ReasonGroup[] };
  readonly again: ReasonSum & { readonly groups: readonly ReasonGroup[] };
}

/** A longer value is shortened. */
const MAX_VALUE_LENGTH = 60;
/** Characters that two long values have in common and that are shown before their difference. */
const BEFORE_DIFFERENCE = 20;
/** Max rows named per group. */
const MAX_NAMED_ROWS = 3;
/** Max groups whose values are told apart; beyond, one group has all values of a field. */
const MAX_GROUPS = 1_000;

type Sum = { -readonly [K in keyof ReasonSum]: ReasonSum[K] };
type Group = Sum & Pick<ReasonGroup, 'reason'> & { isSame: boolean; ids: string[] };

/** Groups rows by reason as they come. Memory is bounded, however many rows and values there are. */
export class ReasonGroups {
  readonly #sums = { cached: emptySum(), equal: emptySum(), new: emptySum() };
  readonly #changed = new Map<string, Group>();
  readonly #again = new Map<string, Group>();

  /** Adds the next row. */
  add(row: ReasonedRow): void {
    const { reason } = row;
    switch (reason.type) {
      case 'again': {
        const key = [reason.batch, reason.ended ?? '', String(reason.isUncached === true)];
        addTo(this.#again, key, { row, reason, isSame: true });
        return;
      }
      case 'changed': {
        const changes = reason.changes.map(shortened);
        const shown = { ...reason, changes };
        const exact = [reason.batch, ...reason.changes.flatMap(keyOf)];
        const isFull = this.#changed.size >= MAX_GROUPS && !this.#changed.has(exact.join('\0'));
        // Grouping by field names alone keeps the number of groups small.
        const key = isFull ? [reason.batch, ...reason.changes.map(({ field }) => field)] : exact;
        addTo(this.#changed, key, { row, reason: shown, isSame: !isFull && !reason.changes.some(isPrivate) });
        return;
      }
      default:
        count(this.#sums[reason.type], row);
    }
  }

  /** Returns all rows added so far, by reason. */
  result(): RowReasons {
    return { ...this.#sums, changed: groupsOf(this.#changed), again: groupsOf(this.#again) };
  }
}

/** Whether a field holds texts or links, whose values differ from row to row and so do not define groups. */
function isPrivate({ field }: FieldChange): boolean {
  return (PRIVATE_COLUMNS as readonly string[]).includes(field);
}

function keyOf(change: FieldChange): readonly string[] {
  return isPrivate(change) ? [change.field] : [change.field, change.from, change.to];
}

/** Shortens long values to where they begin to differ. */
function shortened({ field, from, to }: FieldChange): FieldChange {
  let same = 0;
  while (same < from.length && from[same] === to[same]) same++;
  const start = Math.max(from.length, to.length) > MAX_VALUE_LENGTH ? Math.max(0, same - BEFORE_DIFFERENCE) : 0;
  return { field, from: cut(from, start), to: cut(to, start) };
}

function cut(value: string, start: number): string {
  const end = start + MAX_VALUE_LENGTH;
  return `${start > 0 ? '…' : ''}${value.slice(start, end)}${value.length > end ? '…' : ''}`;
}

function emptySum(): Sum {
  return { rows: 0, quoted: 0, unpriced: 0, saved: 0 };
}

function count(sum: Sum, { quoted, saved }: Pick<ReasonedRow, 'quoted' | 'saved'>): void {
  sum.rows++;
  if (quoted === null) sum.unpriced++;
  else sum.quoted = roundCredits(sum.quoted + quoted);
  sum.saved = roundCredits(sum.saved + saved);
}

function addTo(
  groups: Map<string, Group>,
  key: readonly string[],
  { row, reason, isSame }: { readonly row: ReasonedRow } & Pick<Group, 'reason' | 'isSame'>,
): void {
  const name = key.join('\0');
  let group = groups.get(name);
  if (group === undefined) {
    group = { ...emptySum(), reason, isSame: true, ids: [] };
    groups.set(name, group);
  } else group.isSame &&= isSame;
  count(group, row);
  if (group.ids.length < MAX_NAMED_ROWS) group.ids.push(row.id);
}

/** Returns the groups, most rows first, and their total. */
function groupsOf(byKey: ReadonlyMap<string, Group>): RowReasons['changed'] {
  const sum = emptySum();
  const groups = [...byKey.values()].toSorted((one, other) => other.rows - one.rows);
  for (const { rows, quoted, unpriced, saved } of groups) {
    sum.rows += rows;
    sum.quoted = roundCredits(sum.quoted + quoted);
    sum.unpriced += unpriced;
    sum.saved = roundCredits(sum.saved + saved);
  }
  return { ...sum, groups };
}

/**
 * Returns the steps of a row that must be paid for. If the last step's result exists, nothing else is needed; otherwise
 * an existing result only helps if all earlier ones exist too. `isThere`: whether a step's result is cached.
 */
export function stepsToPay(steps: readonly Step[], isThere: (step: Step) => boolean): readonly Step[] {
  const last = steps.at(-1);
  if (last === undefined || isThere(last)) return [];
  return steps.slice(steps.findIndex((step) => !isThere(step)));
}
