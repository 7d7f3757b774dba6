import { tuningOf, valuesOf, type Tunables, type Tuning } from '../contract/tunables.ts';
import { formatValue } from '../contract/value-kinds.ts';

/** Changes of a batch's tunables (`voxbatch tune`, or `run` with flags on an existing batch). */

/** Returns the tunables after a tuning. Other members of either argument are dropped. */
export function applyTuning(current: Tunables, tuning: Tuning): Tunables {
  return tuningOf({ ...valuesOf(current), ...valuesOf(tuning) }) as Tunables;
}

/**
 * A batch's recorded settings. `submitsByRows`: its `submits` was derived from its rows rather than set by the user.
 */
export type RecordedTunables = Tunables & { readonly submitsByRows?: boolean };

/** Returns the part of a tuning that changes something; a command may repeat flags with the values in use. */
export function changedTunables(tuning: Tuning, current: RecordedTunables): Tuning {
  const known = new Map(Object.entries(valuesOf(current)));
  // Setting the derived value explicitly is a change: it then stays, whatever the rows would imply later.
  if (current.submitsByRows === true) known.delete('submits');
  const isNew = ([name, value]: [string, Parameters<typeof formatValue>[0]]): boolean => {
    const before = known.get(name);
    return before === undefined || formatValue(before) !== formatValue(value);
  };
  return tuningOf(Object.fromEntries(Object.entries(valuesOf(tuning)).filter(isNew)));
}
