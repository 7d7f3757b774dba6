import type { Pair } from './row-parity.ts';

/** Compares lists, such as voices, that two dialects of the API report for the same account. */

/** An item that both dialects report, in a common shape; fields that a dialect does not report are absent. */
export type Item = Readonly<Record<string, string | number | boolean>>;

/** A field with different values; null if the dialect does not report the field for this item. */
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
  const [oneFields, otherFields] = [fieldsOf(one), fieldsOf(other)];
  const shared = [...oneFields].filter((field) => otherFields.has(field));
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
    fieldsOnly: [without(oneFields, otherFields), without(otherFields, oneFields)],
    differences,
  };
}

/**
 * Returns the differences that two consecutive reads both found. An account changes while it is read, so a difference
 * seen only once may be a change between two requests. Values are those of the second read.
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
