import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { ValueError, type Payload, type PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { PayloadKeys } from './payload-keys.ts';

/** Metadata as in the samples of Temporal's SDKs, so that other tools with the same key can decrypt payloads. */
const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';

const CIPHER = 'aes-256-gcm';
/** Standard sizes for AES-GCM, in bytes. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/**
 * Encrypts all payloads of Temporal's histories with AES-256-GCM: arguments, results, memos, summaries, messages of
 * failures. An encrypted payload's data is nonce, ciphertext and tag; its metadata names the key. Payloads from before
 * keys were set are not encrypted, and are decoded unchanged.
 */
export class EncryptionCodec implements PayloadCodec {
  readonly #keys: PayloadKeys;

  constructor(keys: PayloadKeys) {
    this.#keys = keys;
  }

  /** Encrypts payloads with the key that `writes` names; returns them unchanged if there is none. */
  encode(payloads: Payload[]): Promise<Payload[]> {
    const { writes, keys } = this.#keys;
    const key = writes === undefined ? undefined : keys.get(writes);
    if (writes === undefined || key === undefined) return Promise.resolve(payloads);
    const encrypted = payloads.map((payload) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce);
      const ciphertext = [cipher.update(PayloadMessage.encode(payload).finish()), cipher.final(), cipher.getAuthTag()];
      const metadata = { encoding: Buffer.from(ENCODING), [KEY_ID]: Buffer.from(writes) };
      return { metadata, data: Buffer.concat([nonce, ...ciphertext]) };
    });
    return Promise.resolve(encrypted);
  }

  /** Decrypts payloads. Rejects with a `ValueError` if a key is missing or wrong. */
  // Async, so that errors reject instead of being thrown.
  // eslint-disable-next-line @typescript-eslint/require-await
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => (isEncrypted(payload) ? this.#decrypt(payload) : payload));
  }

  #decrypt({ metadata, data }: Payload): Payload {
    const id = textOf(metadata?.[KEY_ID]);
    const key = this.#keys.keys.get(id);
    if (key === undefined) throw new ValueError(`${missingKeyMessage(id)} Nothing was sent, and nothing is lost.`);
    const bytes = Buffer.from(data ?? []);
    try {
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
      return PayloadMessage.decode(plain);
    } catch (error) {
      const message = `A payload does not fit the key "${id}": the key is another one of the same id, or the payload was changed. Nothing was sent.`;
      throw new ValueError(message, error);
    }
  }
}

function isEncrypted({ metadata }: Payload): boolean {
  return textOf(metadata?.['encoding']) === ENCODING;
}

function missingKeyMessage(id: string): string {
  return `Temporal's histories are encrypted with the key "${id}", which this process does not have: add it to VOXBATCH_PAYLOAD_KEYS or VOXBATCH_PAYLOAD_KEYS_FILE.`;
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}
