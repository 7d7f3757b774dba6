import { tuningOf, valuesOf, type Tunables, type Tuning } from '../contract/tunables.ts';
import { formatValue } from '../contract/value-kinds.ts';

/** The settings after a tuning, and nothing else: other members of either argument are dropped. */
export function applyTuning(holds: Tunables, tuning: Tuning): Tunables {
  return tuningOf({ ...valuesOf(holds), ...valuesOf(tuning) }) as Tunables;
}

/**
 * A batch's recorded settings. `submitsByRows`: its `submits` was derived from its rows rather than set by the user.
 */
export type RecordedTunables = Tunables & { readonly submitsByRows?: boolean };

/** The part of a tuning that changes something; a flag may be repeated. */
export function changedTunables(tuning: Tuning, holds: RecordedTunables): Tuning {
  const known = new Map(Object.entries(valuesOf(holds)));
  // Once set explicitly, it stays, whatever the rows would imply later.
  if (holds.submitsByRows === true) known.delete('submits');
  const isNew = ([name, value]: [string, Parameters<typeof formatValue>[0]]): boolean => {
    const before = known.get(name);
    return before === undefined || formatValue(before) !== formatValue(value);
  };
  return tuningOf(Object.fromEntries(Object.entries(valuesOf(tuning)).filter(isNew)));
}
