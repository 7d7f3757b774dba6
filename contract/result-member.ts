/**
 * The setting `resultMember` tells where an API puts the link to a job's result if it uses a name we do not know. It
 * names members of the answer as `explain` prints them: `data.clip.href`, or `data.clips.0.href` for a list item.
 */

/** Longest list of members, and what each looks like. */
export const MOST_RESULT_MEMBERS = 10;
export const RESULT_MEMBER = /^[^.]{1,100}(?:\.[^.]{1,100}){0,9}$/u;
export const RESULT_MEMBER_FORM = 'a member such as "data.clip.href", or a list of up to 10 of them';

/** Parses the setting; undefined if it is invalid. */
export function parseResultMember(value: unknown): readonly string[] | undefined {
  const members: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isFine = members.length >= 1 && members.length <= MOST_RESULT_MEMBERS;
  const are = members.every((one): one is string => typeof one === 'string' && RESULT_MEMBER.test(one));
  return isFine && are ? members : undefined;
}

/** Why a job ended without its result: its answer has no link that we know. */
export const NO_LINK = 'no link in the answer about a completed job';
