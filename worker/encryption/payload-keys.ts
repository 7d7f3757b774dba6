import { createSecretKey, type KeyObject } from 'node:crypto';

/** Keys that payloads in Temporal's histories are encrypted with, by id. One writes; all read. */
export interface PayloadKeys {
  /** Id of the key that encrypts; undefined: nothing is encrypted here, and nothing can be decrypted. */
  readonly writes: string | undefined;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

/** Those of a process that was given none. It can only say what it lacks. */
export const NO_PAYLOAD_KEYS: PayloadKeys = { writes: undefined, keys: new Map() };

/** What is expected of a text with keys. */
export const PAYLOAD_KEYS_FORM = 'ID:KEY for each key, the one that encrypts first; KEY: 32 bytes in base64';

const ENTRY = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/]{43}=)$/;

/**
 * Parses keys: entries in the form of {@link PAYLOAD_KEYS_FORM}, separated by commas or white space. Undefined if
 * an entry is malformed, an id repeats, or there is no key.
 */
export function parsePayloadKeys(text: string): PayloadKeys | undefined {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  const keys = new Map<string, KeyObject>();
  for (const word of words) {
    const [, id, key] = ENTRY.exec(word) ?? [];
    if (id === undefined || key === undefined || keys.has(id)) return undefined;
    keys.set(id, createSecretKey(Buffer.from(key, 'base64')));
  }
  const [writes] = keys.keys();
  return writes === undefined ? undefined : { writes, keys };
}
