import { createSecretKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { messageOf } from '../../contract/message-of.ts';
import type { PayloadKeys } from '../../worker/encryption/payload-keys.ts';
import { VoxbatchError } from '../problem.ts';

/**
 * Reads the keys that encrypt payloads in Temporal's histories, from `VOXBATCH_PAYLOAD_KEYS` or the file that
 * `VOXBATCH_PAYLOAD_KEYS_FILE` names; undefined if neither is set. Throws {@link VoxbatchError} (`bad-option`), whose
 * message quotes no key.
 */
export function findPayloadKeys(env: NodeJS.ProcessEnv): PayloadKeys | undefined {
  const given = env['VOXBATCH_PAYLOAD_KEYS'] ?? '';
  const file = env['VOXBATCH_PAYLOAD_KEYS_FILE'] ?? '';
  if (file === '') return given === '' ? undefined : readPayloadKeys(given, 'VOXBATCH_PAYLOAD_KEYS');
  if (given !== '') refuse('VOXBATCH_PAYLOAD_KEYS_FILE', 'no VOXBATCH_PAYLOAD_KEYS beside it', 'both');
  return readPayloadKeys(textOf(file), 'VOXBATCH_PAYLOAD_KEYS_FILE');
}

/** Parses keys. `option`: its name for messages. Throws {@link VoxbatchError} (`bad-option`), which quotes no key. */
export function readPayloadKeys(text: string, option: string): PayloadKeys {
  return parsePayloadKeys(text) ?? refuse(option, PAYLOAD_KEYS_FORM, 'something else');
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return refuse('VOXBATCH_PAYLOAD_KEYS_FILE', 'a file that can be read', messageOf(error));
  }
}

function refuse(option: string, expected: string, got: string): never {
  throw new VoxbatchError({ type: 'bad-option', option, expected, got });
}

/** The format of a text with keys, for messages. */
const PAYLOAD_KEYS_FORM = 'ID:KEY for each key, the one that encrypts first; KEY: 32 bytes in base64';

const ENTRY = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/]{43}=)$/;

/**
 * Parses keys: entries in the form of {@link PAYLOAD_KEYS_FORM}, separated by commas or white space. The first key
 * encrypts; all of them decrypt. Undefined if an entry is malformed, an id repeats, or there is no key.
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
