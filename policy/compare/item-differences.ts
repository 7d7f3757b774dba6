import type { Pair } from './row-parity.ts';

/** An item reported by two interfaces, in a common shape; fields that an interface does not report are absent. */
export type Item = Readonly<Record<string, string | number | boolean>>;

/** A field on which two interfaces disagree; null if that one does not report it. */
export interface ItemDifference {
  readonly id: string;
  readonly field: string;
  readonly values: Pair<Item[string] | null>;
}

/** The differences between two sets of items. In pairs, the first element belongs to the first set. */
export interface ItemDifferences {
  /** Ids that only one set has. */
  readonly only: Pair<readonly string[]>;
  /** Fields that only one set reports for any item. These do not count as differences between items. */
  readonly fieldsOnly: Pair<readonly string[]>;
  readonly differences: readonly ItemDifference[];
}

/** Compares items by their ids, field by field. */
export function compareItems([one, other]: Pair<ReadonlyMap<string, Item>>): ItemDifferences {
  const [oneTells, otherTells] = [fieldsOf(one), fieldsOf(other)];
  const shared = [...oneTells].filter((field) => otherTells.has(field));
  const differences: ItemDifference[] = [];
  for (const [id, item] of one) {
    const counterpart = other.get(id);
    if (counterpart === undefined) continue;
    for (const field of shared) {
      const values = [item[field] ?? null, counterpart[field] ?? null] as const;
      if (values[0] !== values[1]) differences.push({ id, field, values });
    }
  }
  return {
    only: [missingIn(other, one), missingIn(one, other)],
    fieldsOnly: [without(oneTells, otherTells), without(otherTells, oneTells)],
    differences,
  };
}

/**
 * The differences found in two consecutive reads: an account stays active while it is read, so a difference seen only
 * once may be a change between two requests. Values are those of the second read.
 */
export function persistentDifferences(first: ItemDifferences, second: ItemDifferences): ItemDifferences {
  const known = new Set(first.differences.map(keyOf));
  const stays = (side: 0 | 1): readonly string[] => {
    const before = new Set(first.only[side]);
    return second.only[side].filter((id) => before.has(id));
  };
  return {
    ...second,
    only: [stays(0), stays(1)],
    differences: second.differences.filter((difference) => known.has(keyOf(difference))),
  };
}

/** Whether the items differ; fields that only one set reports do not count. */
export function isDifferent({ only, differences }: ItemDifferences): boolean {
  return differences.length > 0 || only.some((ids) => ids.length > 0);
}

function keyOf({ id, field }: ItemDifference): string {
  return JSON.stringify([id, field]);
}

function fieldsOf(items: ReadonlyMap<string, Item>): ReadonlySet<string> {
  return new Set([...items.values()].flatMap((item) => Object.keys(item)));
}

function missingIn(there: ReadonlyMap<string, Item>, items: ReadonlyMap<string, Item>): readonly string[] {
  return [...items.keys()].filter((id) => !there.has(id));
}

function without(fields: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] {
  return [...fields].filter((field) => !others.has(field));
}
