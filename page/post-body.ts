import type { ActionAnswer, RedriveAnswer, SettleAnswer, RedrivePrice } from './protocol.ts';
import { createHmac, randomBytes } from 'node:crypto';
import { toJson } from './wire.ts';

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

/** Signs what a person is asked about, so that the answer is known to be to the same question. */
export type Sign = (question: unknown) => string;

/**
 * What a person agrees to of a price. What is left of a budget is another with each request of a batch that goes on;
 * whether it is enough, the refusal says.
 */
export function agreedPrice({ budgetLeft: _, ...price }: RedrivePrice): Omit<RedrivePrice, 'budgetLeft'> {
  return price;
}

/** A signature that nobody but this process can make. */
export function signer(): Sign {
  const key = randomBytes(32);
  return (question) => createHmac('sha256', key).update(toJson(question)).digest('base64url');
}
