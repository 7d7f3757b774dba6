import { TUNABLES, type TunableName } from './tunables.ts';
import { withoutPath } from './without-path.ts';
import { formatValue, type AnyValue } from './value-kinds.ts';

/**
 * Formats the value of a tunable for display and for the audit trail. A URL is reduced to its host, because the rest is
 * often a secret.
 */
export function shownValue(name: TunableName, value: AnyValue): string {
  const text = formatValue(value);
  return value === null || TUNABLES[name].takes.type !== 'url' ? text : withoutPath(text);
}
