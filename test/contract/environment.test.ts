import { expect, it } from '@jest/globals';
import { environmentForUser, isOwnSecret } from '../../contract/environment.ts';

it.each([
  ['VOXBATCH_API_TOKEN', 'x', true],
  ['VOXBATCH_API_TOKEN_FILE', '/run/token', true],
  ['VOXBATCH_PAYLOAD_KEYS', 'k1:AAAA', true],
  ['VOXBATCH_PAYLOAD_KEYS_FILE', '/run/keys', true],
  ['VOXBATCH_WEBHOOK_RESTORE', 'https://h.example/x', true],
  ['TEMPORAL_ADDRESS', 'localhost:7233', true],
  ['VOXBATCH_LEDGER', 'postgres://ann:pw@db.example/vox', true],
  ['VOXBATCH_LEDGER', 'postgres://db.example/vox?user=ann&password=pw', true],
  ['VOXBATCH_LEDGER', 'postgres://ann:s3/cr@et@db.example/vox', true],
  ['VOXBATCH_LEDGER', 'postgres://ann@db.example/vox?schema=x', false],
  ['VOXBATCH_LEDGER', '/srv/ledger.db', false],
  ['VOXBATCH_STORE', 's3://bucket/prefix', false],
  ['DATABASE_URL', 'postgres://ann:pw@db.example/vox', false],
] as const)('%s=%s is a secret of ours: %s', (name, value, is) => expect(isOwnSecret(name, value)).toBe(is));

it("a user's command gets everything else, and addresses without their passwords", () => {
  const env = {
    VOXBATCH_API_TOKEN: 'pw',
    VOXBATCH_LEDGER: 'postgres://ann:pw@db.example/vox?schema=x&sslpassword=pw',
    VOXBATCH_STORE: 's3://bucket/prefix',
    PATH: '/bin',
  };
  expect(environmentForUser(env)).toEqual({
    VOXBATCH_LEDGER: 'postgres://ann@db.example/vox?schema=x',
    VOXBATCH_STORE: 's3://bucket/prefix',
    PATH: '/bin',
  });
});
