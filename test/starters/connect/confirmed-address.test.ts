import { beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAddressConfirmed, rememberAddress } from '../../../client/trust/folder-config.ts';
import { expectRun, lineForEach } from '../command-line.ts';

/** Port 9 refuses connections: a command that got there ends with 5. */
const USE = { baseUrl: 'http://127.0.0.1:9/api/open/v1', token: 'token-of-mine' };

lineForEach({ VOXBATCH_API_TOKEN: USE.token });
beforeEach(async () => {
  await writeFile('voxbatch.config.json', JSON.stringify({ api: { url: USE.baseUrl } }));
  await writeFile('lines.csv', 'text,voice\nHello,anna\n');
});

describe('an address that only a config file names', () => {
  it.each(['profile', 'up', 'run lines.csv --yes'])(
    'gets no token off a terminal, with --yes neither, and the command says what confirms it: %s',
    async (line) => {
      await expectRun(line, 2, { err: `run: export VOXBATCH_API_URL=${USE.baseUrl}`, not: USE.token });
    },
  );

  it('is used where the environment or a flag names it, too', async () => {
    await expectRun(`profile --api-url ${USE.baseUrl}`, 4);
    process.env['VOXBATCH_API_URL'] = USE.baseUrl;
    await expectRun('profile', 4);
  });

  it('is used once it was confirmed, with that token and at that origin only', async () => {
    rememberAddress(process.env, USE);
    await expectRun('profile', 4);
    expect(isAddressConfirmed(process.env, { ...USE, token: 'another' })).toBe(false);
    expect(isAddressConfirmed(process.env, { ...USE, baseUrl: 'http://127.0.0.1:10/api/open/v1' })).toBe(false);
    rememberAddress(process.env, { ...USE, token: 'another' });
    expect(isAddressConfirmed(process.env, USE)).toBe(true);
    const file = join('.state', 'voxbatch', 'confirmed-addresses.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain(USE.token);
  });
});
