import {
  LIMIT_NAMES,
  POLICY_NAMES,
  TUNABLES,
  valuesOf,
  type TunableName,
  type Tunables,
} from '../../contract/tunables.ts';
import { formatValue, type AnyValue } from '../../contract/value-kinds.ts';

type Shown<N extends string> = {
  readonly [K in N]: K extends 'budget' ? number | null : string | number | null | undefined;
};

/** Everything that `voxbatch tune` can change, as written on the command line, except that numbers stay numbers. */
export function viewTunables(holds: Tunables) {
  const facts = <N extends TunableName>(names: readonly N[]): Shown<N> =>
    Object.fromEntries(
      names.map((name) => {
        const value: AnyValue | undefined = valuesOf(holds)[name];
        const isPlain = typeof value === 'number' || value === null || value === undefined;
        return [name, isPlain ? value : shownValue(name, value)];
      }),
    ) as Shown<N>;
  return { limits: facts(LIMIT_NAMES), ...facts(POLICY_NAMES) };
}

/** A value safe to display: a URL is reduced to its host, because the rest is often a secret. */
export function shownValue(name: TunableName, value: AnyValue): string {
  const text = formatValue(value);
  return value === null || TUNABLES[name].takes.type !== 'url' ? text : hostOf(text);
}

/** A URL that may be a secret, reduced for display. */
function hostOf(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname + search === '/' ? origin : `${origin}/…`;
}
