import type { UnconfirmedConfig } from '../../client/trust/folder-config.ts';

/** `onEnd: "./publish.sh"`, a line for each member. */
export function memberLines(members: UnconfirmedConfig['members']): readonly string[] {
  const { notify, ...others } = members;
  const lines = Object.entries(others).map(([name, value]) => `${name}: ${visible(value)}`);
  return typeof notify === 'string' ? [...lines, `notify: messages to ${hostOf(notify)}`] : lines;
}

/** The path of such an address often is a secret. One that cannot be read may be on record of an earlier version. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an address that cannot be read';
}

/** As JSON. What a terminal would obey or hide is shown by its number: the text may be somebody else's. */
export function visible(value: unknown): string {
  return JSON.stringify(value).replaceAll(/\p{C}/gu, (odd) => `\\u{${(odd.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * A path as it is; as {@link visible} shows it where it has what a terminal would obey or hide: a folder can have any
 * name.
 */
export function visiblePath(path: string): string {
  return /\p{C}/u.test(path) ? visible(path) : path;
}

/**
 * What to do next about a ledger that nobody has confirmed: its author's words must not become commands that its reader
 * copies.
 */
export const CONFIRM_FIRST =
  'This ledger may have come with the folder, so no command is advised from it. To see what it could do, and to confirm it: voxbatch trust';
