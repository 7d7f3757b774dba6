import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { always, serve } from '../../support/api-server.ts';
import { expectRun, json, lineAtSimulator, run } from '../command-line.ts';

const line = lineAtSimulator();

/** The file of the last looks. */
const LOOKS = join('.voxbatch', 'api-schemas.json');

describe('doctor --api', () => {
  it('says what the schema has for voxbatch, then that it has not changed; and spends nothing', async () => {
    await expectRun('doctor --api', 0, { out: ['first look', 'It has all that voxbatch needs.\nNothing was spent.'] });
    await expectRun('doctor --strict-schema', 0, { out: 'unchanged since the last look' });
    expect(await readFile(LOOKS, 'utf8')).not.toContain(line.simulator.token);
  });

  it('tells what changed since the last look; with --strict-schema that ends with 15 until it is accepted', async () => {
    await run('doctor --api');
    const kept = await readFile(LOOKS, 'utf8');
    await writeFile(LOOKS, kept.replaceAll('GET /api/open/v1/voices"', 'GET /api/open/v1/singers"'));
    const changes = { added: ['GET /api/open/v1/voices'], removed: ['GET /api/open/v1/singers'], changed: [] };
    for (let times = 0; times < 2; times += 1) {
      const { code, value } = await json('doctor --strict-schema');
      expect({ code, value }).toMatchObject({ code: 15, value: { sound: false, lacks: [], changes } });
    }
    await expectRun('doctor --api', 0, { out: /new:\n +GET \/api\/open\/v1\/voices\n/ });
    await expectRun('doctor --strict-schema', 0);
  });

  it('takes a damaged file of the last looks for none', async () => {
    await run('doctor --api');
    await writeFile(LOOKS, '{"version":1');
    await expectRun('doctor --api', 0, { out: 'first look' });
  });

  it('says that there is no schema, and that voxbatch works without it', async () => {
    const server = await serve(always(404, '<!doctype html>'));
    process.env['VOXBATCH_API_URL'] = `${server.origin}/api/open/v1`;
    await expectRun('doctor --api', 4, 'voxbatch works without it');
  });
});
