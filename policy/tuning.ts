import { tuningOf, valuesOf, type Tunables, type Tuning } from '../contract/tunables.ts';
import { formatValue } from '../contract/value-kinds.ts';

/** What holds after a tuning, and nothing else: other members of either are left out. */
export function applyTuning(holds: Tunables, tuning: Tuning): Tunables {
  return tuningOf({ ...valuesOf(holds), ...valuesOf(tuning) }) as Tunables;
}

/** What a batch has on record. `submitsByRows`: its `submits` follows from its rows, and nobody has said it. */
export type RecordedTunables = Tunables & { readonly submitsByRows?: boolean };

/** What of a tuning does not hold yet; a flag may be given again and again. */
export function newIn(tuning: Tuning, holds: RecordedTunables): Tuning {
  const known = new Map(Object.entries(valuesOf(holds)));
  // Said, it stays, whatever would follow from the rows later.
  if (holds.submitsByRows === true) known.delete('submits');
  const isNew = ([name, value]: [string, Parameters<typeof formatValue>[0]]): boolean => {
    const before = known.get(name);
    return before === undefined || formatValue(before) !== formatValue(value);
  };
  return tuningOf(Object.fromEntries(Object.entries(valuesOf(tuning)).filter(isNew)));
}
