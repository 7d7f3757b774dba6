import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The content of a link: it allows its bearer to read this file until a time. */
export interface Grant {
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  /** When the link expires, ms since 1970. */
  readonly until: number;
}

const CIPHER = 'aes-256-gcm';
/** Bytes of the nonce, and of the authentication tag. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Bytes of a key. */
export const KEY_BYTES = 32;

/**
 * Encrypts and authenticates a grant as text for a link: without the key, nobody can make or change a link, or read the
 * path in it. So a link outlives the process that made it, and no list of links has to be kept. `name`: the file name
 * in the link, which is authenticated, too.
 */
export function seal(key: Buffer, name: string, grant: Grant): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(name));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(grant)), cipher.final()]);
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
}

/** Decrypts a grant; undefined if it was not made with this key for this name. */
export function unseal(key: Buffer, name: string, text: string): Grant | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(name));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    // Authenticated, so it has the form that `seal` wrote.
    return JSON.parse(plain.toString()) as Grant;
  } catch {
    return undefined;
  }
}

/** Returns the answer of a server with this key to a random challenge, by which processes of one home recognise it. */
export function proofOf(key: Buffer, challenge: string): string {
  return createHmac('sha256', key).update(`voxbatch media ${challenge}`).digest('base64url');
}

/** Whether an answer to a challenge proves that its sender has this key. */
export function isProof(key: Buffer, challenge: string, answer: string): boolean {
  const [one, other] = [Buffer.from(proofOf(key, challenge)), Buffer.from(answer)];
  return one.length === other.length && timingSafeEqual(one, other);
}
