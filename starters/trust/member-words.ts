import type { UnconfirmedConfig } from '../../client/trust/folder-config.ts';

/** Lists members of a config, such as `onEnd: "./publish.sh"`. */
export function memberLines(members: UnconfirmedConfig['members']): readonly string[] {
  const { notify, ...others } = members;
  const lines = Object.entries(others).map(([name, value]) => `${name}: ${visible(value)}`);
  return typeof notify === 'string' ? [...lines, `notify: messages to ${hostOf(notify)}`] : lines;
}

/** Returns the host of a URL, whose path is often a secret. An earlier version may have recorded an invalid URL. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an address that cannot be read';
}

/** Formats somebody else's value as JSON, with characters that a terminal would obey or hide as `\u{…}`. */
export function visible(value: unknown): string {
  return JSON.stringify(value).replaceAll(/\p{C}/gu, (odd) => `\\u{${(odd.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Returns a path, by {@link visible} if it has characters that a terminal would obey or hide. */
export function visiblePath(path: string): string {
  return /\p{C}/u.test(path) ? visible(path) : path;
}

/**
 * Replaces the next steps for an unconfirmed ledger, so that users do not paste commands made from somebody else's
 * texts.
 */
export const CONFIRM_FIRST =
  'This ledger may have come with the folder, so no command is advised from it. To see what it could do, and to confirm it: voxbatch trust';
