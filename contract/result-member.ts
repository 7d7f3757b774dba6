/**
 * The setting `resultMember`: where the answer about a finished job has the link to its result, for an API that uses a
 * name unknown to voxbatch. It is a path in the JSON as `explain` prints it: `data.clip.href`, or `data.clips.0.href`
 * for a list item.
 */

/** Max paths in the setting. */
export const MAX_RESULT_MEMBERS = 10;
/** A valid path: up to 10 names, separated by dots. */
export const RESULT_MEMBER = /^[^.]{1,100}(?:\.[^.]{1,100}){0,9}$/u;
/** The forms of the setting, for messages that begin with "expected". */
export const RESULT_MEMBER_FORM = 'a member such as "data.clip.href", or a list of up to 10 of them';

/** Parses the setting, one path or a list of them, into a list; undefined if it is invalid. */
export function parseResultMember(value: unknown): readonly string[] | undefined {
  const paths: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (paths.length === 0 || paths.length > MAX_RESULT_MEMBERS) return undefined;
  const isValid = paths.every((path): path is string => typeof path === 'string' && RESULT_MEMBER.test(path));
  return isValid ? paths : undefined;
}

/** `Failure.cause` of a finished job whose answer has no member that is known to hold the link. */
export const NO_LINK = 'no link in the answer about a completed job';
