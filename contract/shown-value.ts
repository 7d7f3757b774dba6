import { TUNABLES, type TunableName } from './tunables.ts';
import { formatValue, type AnyValue } from './value-kinds.ts';

/**
 * Formats the value of a tunable for display and for the audit trail. A URL is reduced to its host, because the rest is
 * often a secret.
 */
export function shownValue(name: TunableName, value: AnyValue): string {
  const text = formatValue(value);
  return value === null || TUNABLES[name].takes.type !== 'url' ? text : withoutPath(text);
}

/** Returns scheme and host of a URL whose path may be secret, such as a webhook: `https://host/…`. */
export function withoutPath(address: string): string {
  if (!URL.canParse(address)) return '…';
  const { origin, pathname, search } = new URL(address);
  return pathname.length + search.length > 1 ? `${origin}/…` : origin;
}
