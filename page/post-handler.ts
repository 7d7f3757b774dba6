import { createHmac, randomBytes } from 'node:crypto';
import { toJson } from './json.ts';
import type { ActionAnswer, RedriveAnswer, RedrivePrice, SettleAnswer } from './protocol.ts';

/** The parsed JSON object of a POST. */
export type Body = Readonly<Record<string, unknown>>;

/** A body that the page's own script would not send; answered with status 400. */
export class BadRequest extends Error {}

/** Handles one POST. Rejects with {@link BadRequest}, or with `ActionRefused` if the command refuses. */
export type PostHandler = (body: Body) => Promise<ActionAnswer | RedriveAnswer | SettleAnswer>;

/** Returns the answer for a finished action. `lines`: what the command printed. */
export function actionAnswer(lines: readonly string[]): ActionAnswer {
  return { type: 'done', lines };
}

/** Returns the string member `name`. Throws {@link BadRequest} if it is missing or empty. */
export function requiredText(body: Body, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' || value === '') throw new BadRequest(`"${name}" is missing.`);
  return value;
}

/** Returns the string member `name`, trimmed; undefined if it is missing or blank. */
export function optionalText(body: Body, name: string): string | undefined {
  const value = body[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Returns why the user acts, for the record of actions. */
export function reasonOf(body: Body): string | undefined {
  return optionalText(body, 'reason');
}

/**
 * Signs what a confirmation dialog shows. The browser posts the signature back with the confirmation, and a signature
 * that differs by then means that the user confirmed something else.
 */
export type Sign = (shown: unknown) => string;

/** Returns a signer whose key is known to this process alone. */
export function createSigner(): Sign {
  const key = randomBytes(32);
  return (shown) => createHmac('sha256', key).update(toJson(shown)).digest('base64url');
}

/**
 * Returns the part of a price that is signed. `budgetLeft` is not: it changes with each request of a running batch. A
 * budget that became too small changes `refusal`, which is signed.
 */
export function agreedPrice({ budgetLeft: _, ...price }: RedrivePrice): Omit<RedrivePrice, 'budgetLeft'> {
  return price;
}
