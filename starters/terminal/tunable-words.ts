import {
  TUNABLE_NAMES,
  TUNABLES,
  valuesOf,
  type Tunable,
  type TunableName,
  type Tunables,
  type Tuning,
} from '../../contract/tunables.ts';
import { shownValue } from '../../contract/shown-value.ts';
import { inCredits } from './money.ts';
import { formatValue, rangeOf, type AnyValue } from '../../contract/value-kinds.ts';

/** Returns the flag of a key: `pollRate` is `--poll-rate`. */
export function flagOf(key: string): string {
  return `--${wordsOf(key, '-')}`;
}

/** Returns the help of a tunable's flag: `Rows in flight; 1 to 10000 (default: 400)`. */
export function helpOf(name: TunableName): string {
  const tunable: Tunable = TUNABLES[name];
  const means = tunable.defaultMeans === undefined ? '' : `, ${tunable.defaultMeans}`;
  const range = tunable.takes.type === 'choice' ? '' : `; ${rangeOf(tunable.takes)}`;
  return `${tunable.meaning}${range} (default: ${formatValue(tunable.default)}${means})`;
}

/** Describes a tuning: `budget 500 credits, rate 5`; empty if it changes nothing. */
export function describeTuning(tuning: Tuning): string {
  return Object.entries(valuesOf(tuning))
    .map(([key, value]) => inWords(key as TunableName, value))
    .join(', ');
}

/** Returns all tunables (settings that `voxbatch tune` can change), with their values as typed. */
export function tunableLines(
  tunables: Tunables,
): readonly { readonly name: TunableName; readonly value: string; readonly meaning: string }[] {
  const values = valuesOf(tunables);
  return TUNABLE_NAMES.map((name) => ({
    name,
    value: shownValue(name, values[name] ?? null),
    meaning: TUNABLES[name].meaning,
  }));
}

function inWords(name: TunableName, value: AnyValue): string {
  const { type } = TUNABLES[name].takes;
  const label = wordsOf(name, ' ');
  if (type === 'command' || type === 'url')
    return value === null ? `no ${wordsOf(name, '-')}` : `${wordsOf(name, '-')} ${shownValue(name, value)}`;
  if (type === 'credits') return typeof value === 'number' ? `${label} ${inCredits(value)}` : `no ${label}`;
  return `${label} ${value === null ? 'as the API allows' : formatValue(value)}`;
}

/** Splits a key in camelCase into words. `between`: the separator. */
function wordsOf(key: string, between: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => between + letter.toLowerCase());
}
