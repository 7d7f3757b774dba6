import { LIMIT_NAMES, POLICY_NAMES, valuesOf, type TunableName, type Tunables } from '../../contract/tunables.ts';
import { shownValue } from '../../contract/shown-value.ts';
import type { AnyValue } from '../../contract/value-kinds.ts';

/** Values by tunable. The budget is a number, which always has the same form. */
type Shown<N extends string> = {
  readonly [K in N]: K extends 'budget' ? number | null : string | number | null | undefined;
};

/** Everything that `voxbatch tune` can change, as written on the command line, except that numbers stay numbers. */
export function viewTunables(tunables: Tunables) {
  const viewed = <N extends TunableName>(names: readonly N[]): Shown<N> =>
    Object.fromEntries(
      names.map((name) => {
        const value: AnyValue | undefined = valuesOf(tunables)[name];
        const isPlain = typeof value === 'number' || value === null || value === undefined;
        return [name, isPlain ? value : shownValue(name, value)];
      }),
    ) as Shown<N>;
  return { limits: viewed(LIMIT_NAMES), ...viewed(POLICY_NAMES) };
}
