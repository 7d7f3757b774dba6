import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** A file of the store as a record names it. */
export interface NamedContent {
  readonly key: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** What the records say of these keys: one may be named by several, as of several times. */
export function recordsOf(
  keys: Iterable<string>,
  named: Iterable<NamedContent>,
): ReadonlyMap<string, readonly NamedContent[]> {
  const records = new Map<string, NamedContent[]>();
  for (const key of keys) records.set(key, []);
  if (records.size > 0) for (const one of named) records.get(one.key)?.push(one);
  return records;
}

/** Whether a file is as one of its records says. Reads it only if its length is. False if it is gone. */
export async function isOnRecord(path: string, records: readonly NamedContent[]): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  const alike = records.filter(({ bytes }) => bytes === found?.size);
  if (alike.length === 0) return false;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const digest = hash.digest('hex');
  return alike.some(({ sha256 }) => sha256 === digest);
}
