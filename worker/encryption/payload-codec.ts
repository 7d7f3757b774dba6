import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { ValueError, type Payload, type PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { PayloadKeys } from './payload-keys.ts';

/** As in the samples of Temporal's SDKs, so that others' tools with the same key can decrypt. */
const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';

const CIPHER = 'aes-256-gcm';
/** The two sizes that AES-GCM is meant for, bytes. */
const NONCE = 12;
const TAG = 16;

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/**
 * Encrypts all payloads of histories with AES-256-GCM: arguments, results, memos, summaries, reasons of failures. What
 * was written before keys were set is read as it is.
 */
export class EncryptionCodec implements PayloadCodec {
  readonly #keys: PayloadKeys;

  constructor(keys: PayloadKeys) {
    this.#keys = keys;
  }

  encode(payloads: Payload[]): Promise<Payload[]> {
    const { writes, keys } = this.#keys;
    const key = writes === undefined ? undefined : keys.get(writes);
    if (writes === undefined || key === undefined) return Promise.resolve(payloads);
    const encrypted = payloads.map((payload) => {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv(CIPHER, key, nonce);
      const hidden = [cipher.update(PayloadMessage.encode(payload).finish()), cipher.final(), cipher.getAuthTag()];
      const metadata = { encoding: Buffer.from(ENCODING), [KEY_ID]: Buffer.from(writes) };
      return { metadata, data: Buffer.concat([nonce, ...hidden]) };
    });
    return Promise.resolve(encrypted);
  }

  // Async, so that what cannot be decrypted rejects.
  // eslint-disable-next-line @typescript-eslint/require-await
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => (isEncrypted(payload) ? this.#decrypt(payload) : payload));
  }

  #decrypt({ metadata, data }: Payload): Payload {
    const id = textOf(metadata?.[KEY_ID]);
    const key = this.#keys.keys.get(id);
    if (key === undefined) throw new ValueError(`${missing(id)} Nothing was sent, and nothing is lost.`);
    const bytes = Buffer.from(data ?? []);
    try {
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE));
      decipher.setAuthTag(bytes.subarray(-TAG));
      const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]);
      return PayloadMessage.decode(plain);
    } catch (error) {
      const words = `A payload does not fit the key "${id}": the key is another one of the same id, or the payload was changed. Nothing was sent.`;
      throw new ValueError(words, error);
    }
  }
}

function isEncrypted({ metadata }: Payload): boolean {
  return textOf(metadata?.['encoding']) === ENCODING;
}

function missing(id: string): string {
  return `Temporal's histories are encrypted with the key "${id}", which this process does not have: add it to VOXBATCH_PAYLOAD_KEYS or VOXBATCH_PAYLOAD_KEYS_FILE.`;
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}
