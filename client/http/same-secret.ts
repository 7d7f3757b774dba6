import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares two secrets in constant time. Hashing them first hides their lengths, too. */
export function isSameSecret(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
