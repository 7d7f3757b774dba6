import type { ActionAnswer, RedriveAnswer, SettleAnswer } from './protocol.ts';

/** The parsed body of a post. */
export type Body = Readonly<Record<string, unknown>>;

/** Something in a post is not as the page sends it. */
export class BadPost extends Error {}

/** Does what the parsed body of a post asks for. Rejects with {@link BadPost} and `ActionRefused`. */
export type Post = (body: Body) => Promise<ActionAnswer | RedriveAnswer | SettleAnswer>;

/** It was done: what the command said. */
export function done(lines: readonly string[]): ActionAnswer {
  return { type: 'done', lines };
}

/** A text that must be there. Throws {@link BadPost}. */
export function textOf(body: Body, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' || value === '') throw new BadPost(`"${name}" is missing.`);
  return value;
}

/** A text that may be missing or empty. */
export function textIn<Name extends string>(body: Body, name: Name): { readonly [N in Name]?: string } {
  const value = body[name];
  return (typeof value === 'string' && value.trim() !== '' ? { [name]: value.trim() } : {}) as {
    readonly [N in Name]?: string;
  };
}

/** Why, for the record. */
export function reasonOf(body: Body): string | undefined {
  return textIn(body, 'reason').reason;
}
