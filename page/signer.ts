import { createHmac, randomBytes } from 'node:crypto';
import type { RedrivePrice } from './protocol.ts';
import { toJson } from './wire.ts';

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
