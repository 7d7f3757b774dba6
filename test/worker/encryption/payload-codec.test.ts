import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { defaultPayloadConverter } from '@temporalio/common';
import { EncryptionCodec } from '../../../worker/encryption/payload-codec.ts';
import { parsePayloadKeys } from '../../../client/encryption/read-payload-keys.ts';
import type { PayloadKeys } from '../../../worker/encryption/payload-keys.ts';

const entry = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const [K1, K2] = [entry('k1'), entry('k2')];
const PAYLOAD = defaultPayloadConverter.toPayload({ batch: 'lines', lane: 1 });

function keysOf(text: string): PayloadKeys {
  const keys = parsePayloadKeys(text);
  if (keys === undefined) throw new Error('no keys');
  return keys;
}

describe('keys of payloads', () => {
  it('are read from commas or lines; the first one writes', () => {
    expect(keysOf(`${K1},${K2}`)).toMatchObject({ writes: 'k1' });
    expect([...keysOf(` ${K2}\n${K1}\n`).keys.keys()]).toEqual(['k2', 'k1']);
  });

  it.each(['', 'k1', 'k1:', `${K1},${K1}`, `k 1:${randomBytes(32).toString('base64')}`, K1.slice(0, -4), `${K1}AAAA`])(
    'are not %j',
    (text) => {
      expect(parsePayloadKeys(text)).toBeUndefined();
    },
  );
});

describe('EncryptionCodec', () => {
  it('reads back what it has written, which differs each time, and what nobody has encrypted', async () => {
    const codec = new EncryptionCodec(keysOf(K1));
    const [one, other] = await codec.encode([PAYLOAD, PAYLOAD]);
    if (one === undefined || other === undefined) throw new Error('two were given');
    expect(Buffer.from(one.data ?? [])).not.toEqual(Buffer.from(other.data ?? []));
    expect(Buffer.from(one.data ?? []).toString('latin1')).not.toContain('lines');
    const read = await codec.decode([one, PAYLOAD]);
    expect(read.map((payload) => defaultPayloadConverter.fromPayload(payload))).toEqual([
      { batch: 'lines', lane: 1 },
      { batch: 'lines', lane: 1 },
    ]);
  });

  it('reads with each key that it knows, and writes with the first', async () => {
    const written = await new EncryptionCodec(keysOf(K1)).encode([PAYLOAD]);
    const rotated = new EncryptionCodec(keysOf(`${K2},${K1}`));
    expect(defaultPayloadConverter.fromPayload((await rotated.decode(written))[0] ?? {})).toMatchObject({ lane: 1 });
    const [fresh] = await rotated.encode([PAYLOAD]);
    expect(Buffer.from(fresh?.metadata?.['encryption-key-id'] ?? []).toString()).toBe('k2');
  });

  it('names the key that it lacks, and refuses what another key or somebody else has made of it', async () => {
    const [written] = await new EncryptionCodec(keysOf(K1)).encode([PAYLOAD]);
    if (written === undefined) throw new Error('one was given');
    await expect(new EncryptionCodec(keysOf(K2)).decode([written])).rejects.toThrow('the key "k1", which this process');
    await expect(new EncryptionCodec(keysOf(entry('k1'))).decode([written])).rejects.toThrow('does not fit the key');
    const changed = Buffer.from(written.data ?? []);
    changed[20] = (changed[20] ?? 0) ^ 1;
    const tampered = new EncryptionCodec(keysOf(K1)).decode([{ ...written, data: changed }]);
    await expect(tampered).rejects.toThrow('the payload was changed');
    await expect(
      new EncryptionCodec(keysOf(K1)).decode([{ ...written, data: changed.subarray(0, 5) }]),
    ).rejects.toThrow();
  });
});
