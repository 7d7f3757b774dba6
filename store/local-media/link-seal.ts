import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a link allows: to read this file until then. */
export interface Grant {
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  /** End, ms since 1970. */
  readonly until: number;
}

const CIPHER = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

/** Bytes of a key. */
export const KEY_BYTES = 32;

/**
 * Seals what a link allows into its own text: nobody can make or change one without the key, or read the path in it. So
 * a link outlives the process that made it, and no list of links has to be kept. `name`: the file that the link names.
 */
export function seal(key: Buffer, name: string, grant: Grant): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(name));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(grant)), cipher.final()]);
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
}

/** What a sealed text allows; undefined if it was not made with this key for this name. */
export function unseal(key: Buffer, name: string, text: string): Grant | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length <= NONCE + TAG) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE)).setAAD(Buffer.from(name));
    decipher.setAuthTag(bytes.subarray(-TAG));
    const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]);
    // Only who has the key can have written it.
    return JSON.parse(plain.toString()) as Grant;
  } catch {
    return undefined;
  }
}

/** What a server with this key answers to a question that nobody could foresee. */
export function proofOf(key: Buffer, question: string): string {
  return createHmac('sha256', key).update(`voxbatch media ${question}`).digest('base64url');
}

/** Whether an answer proves the same key. */
export function isProof(key: Buffer, question: string, answer: string): boolean {
  const [one, other] = [Buffer.from(proofOf(key, question)), Buffer.from(answer)];
  return one.length === other.length && timingSafeEqual(one, other);
}
