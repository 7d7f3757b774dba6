import type { KeyObject } from 'node:crypto';

/** The keys for payloads in Temporal's histories. One encrypts; all decrypt. */
export interface PayloadKeys {
  /** Id of the key that encrypts. Undefined: this process has no keys. */
  readonly writes: string | undefined;
  /** By id. */
  readonly keys: ReadonlyMap<string, KeyObject>;
}

/** For a process without keys: encrypts nothing, and names the missing key if a payload is encrypted. */
export const NO_PAYLOAD_KEYS: PayloadKeys = { writes: undefined, keys: new Map() };
