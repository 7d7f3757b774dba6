import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openVoxbatch, type Voxbatch } from '../../../client/voxbatch.ts';
import type { VoxbatchOptions } from '../../../client/read-options.ts';
import type { Finding } from '../../../client/doctor/doctor.ts';
import { startSimulator } from '../../../simulator/start-simulator.ts';
import { folderForEach } from '../../support/fresh-folder.ts';
import { serve } from '../../support/api-server.ts';

const { VOXBATCH_TEMPORAL_CLI: before } = process.env;
const folder = folderForEach();
beforeEach(() => {
  // No server is found, so none is started.
  process.env['VOXBATCH_TEMPORAL_CLI'] = '/no/temporal';
});
afterEach(() => {
  if (before === undefined) delete process.env['VOXBATCH_TEMPORAL_CLI'];
  else process.env['VOXBATCH_TEMPORAL_CLI'] = before;
});

async function doctor(options: Pick<VoxbatchOptions, 'api'>): Promise<readonly Finding[]> {
  const voxbatch: Voxbatch = openVoxbatch({ home: folder('home'), ...options });
  try {
    return await voxbatch.doctor();
  } finally {
    await voxbatch.close();
  }
}

const trouble = (type: string): object => ({ trouble: { type: 'error', error: { problem: { type } } } });

describe('doctor', () => {
  it('tells every check, also where no API is given and no server is there', async () => {
    expect(await doctor({})).toMatchObject([
      { type: 'node', ok: true, version: process.versions.node },
      { type: 'disk', ok: true, home: folder('home') },
      { type: 'ffmpeg', ok: true },
      { type: 'ledger', ok: true, batches: 0, unfinished: 0, isMissing: true },
      { type: 'server', ok: false, trouble: { type: 'error' } },
      { type: 'api', ok: false, ...trouble('no-api') },
      { type: 'account', ok: false, ...trouble('no-api') },
    ]);
  });

  it('tells a wrong token from an API that does not answer', async () => {
    const simulator = await startSimulator({ token: 'right' });
    const at = async (token: string): Promise<readonly Finding[]> =>
      (await doctor({ api: { url: simulator.url, token } })).slice(-2);
    try {
      expect(await at('right')).toMatchObject([
        { type: 'api', ok: true, url: simulator.url },
        { type: 'account', ok: true, account: expect.any(String) },
      ]);
      expect(await at('wrong')).toMatchObject([
        { type: 'api', ok: true, url: simulator.url },
        { type: 'account', ok: false, ...trouble('token-refused') },
      ]);
      // No header can carry it, so nobody was asked.
      expect(await at('odd\n')).toMatchObject([
        { type: 'api', ok: true, url: simulator.url },
        { type: 'account', ok: false, ...trouble('odd-token') },
      ]);
    } finally {
      await simulator.close();
    }
  });

  it('asks an API that hangs once, for 10 s', async () => {
    const hangs = await serve(() => undefined);
    const found = await doctor({ api: { url: `${hangs.origin}/api/open/v1`, token: 'a-token' } });
    expect(found.at(-2)).toMatchObject({ type: 'api', ok: false, ...trouble('api-away') });
    expect(JSON.stringify(found.at(-2))).toContain('no answer within 10 s');
    expect(hangs.seen).toHaveLength(1);
  }, 30_000);
});
