import type { KeyObject } from 'node:crypto';

/** Keys that payloads in Temporal's histories are encrypted with, by id. One writes; all read. */
export interface PayloadKeys {
  /** Id of the key that encrypts; undefined: nothing is encrypted here, and nothing can be decrypted. */
  readonly writes: string | undefined;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

/** Those of a process that was given none. It can only say what it lacks. */
export const NO_PAYLOAD_KEYS: PayloadKeys = { writes: undefined, keys: new Map() };
