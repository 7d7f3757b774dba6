import { createHmac, randomBytes } from 'node:crypto';
import { toJson } from './wire.ts';

/** Signs what a person is asked about, so that the answer is known to be to the same question. */
export type Sign = (question: unknown) => string;

/** A signature that nobody but this process can make. */
export function signer(): Sign {
  const key = randomBytes(32);
  return (question) => createHmac('sha256', key).update(toJson(question)).digest('base64url');
}
