import { readFileSync } from 'node:fs';
import { messageOf } from '../../contract/message-of.ts';
import { parsePayloadKeys, PAYLOAD_KEYS_FORM, type PayloadKeys } from '../../worker/encryption/payload-keys.ts';
import { VoxbatchError } from '../problem.ts';

/**
 * The keys of `VOXBATCH_PAYLOAD_KEYS`, or of the file that `VOXBATCH_PAYLOAD_KEYS_FILE` names; undefined if neither is
 * set. Throws {@link VoxbatchError} (`bad-option`), which quotes no key.
 */
export function findPayloadKeys(env: NodeJS.ProcessEnv): PayloadKeys | undefined {
  const given = env['VOXBATCH_PAYLOAD_KEYS'] ?? '';
  const file = env['VOXBATCH_PAYLOAD_KEYS_FILE'] ?? '';
  if (file === '') return given === '' ? undefined : readPayloadKeys(given, 'VOXBATCH_PAYLOAD_KEYS');
  if (given !== '') refuse('VOXBATCH_PAYLOAD_KEYS_FILE', 'no VOXBATCH_PAYLOAD_KEYS beside it', 'both');
  return readPayloadKeys(textOf(file), 'VOXBATCH_PAYLOAD_KEYS_FILE');
}

/** Parses keys. Throws {@link VoxbatchError} (`bad-option`), which quotes no key. */
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
