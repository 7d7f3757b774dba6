import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startSimulator, type Simulator } from '../../../simulator/start-simulator.ts';
import { always, serve } from '../../support/api-server.ts';
import { openCommandLine, type CommandLine, run, json } from '../command-line.ts';

const TOKEN = 'token-of-the-schema-test';
let simulator: Simulator;
let line: CommandLine;
beforeEach(async () => {
  simulator = await startSimulator({ token: TOKEN });
  line = await openCommandLine({ VOXBATCH_API_URL: simulator.url, VOXBATCH_API_TOKEN: TOKEN });
});
afterEach(async () => {
  await line.close();
  await simulator.close();
});

/** The file of the last looks. */
function looks(): string {
  return join(line.folder, '.voxbatch', 'api-schemas.json');
}

describe('doctor --api', () => {
  it('says what the schema has for voxbatch, then that it has not changed; and spends nothing', async () => {
    const first = await run('doctor', '--api');
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('first look') });
    expect(first.stdout).toContain('It has all that voxbatch needs.\nNothing was spent.');
    const second = await run('doctor', '--strict-schema');
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining('unchanged since the last look') });
    expect(await readFile(looks(), 'utf8')).not.toContain(TOKEN);
    expect(simulator.ledger()).toEqual([]);
  });

  it('tells what changed since the last look; with --strict-schema that ends with 15 until it is accepted', async () => {
    await run('doctor', '--api');
    const kept = await readFile(looks(), 'utf8');
    await writeFile(looks(), kept.replaceAll('GET /api/open/v1/voices"', 'GET /api/open/v1/singers"'));
    for (let times = 0; times < 2; times += 1) {
      const { code, value } = await json('doctor', '--strict-schema', '--json');
      expect(code).toBe(15);
      expect(value).toMatchObject({
        isSound: false,
        lacks: [],
        changes: { added: ['GET /api/open/v1/voices'], removed: ['GET /api/open/v1/singers'], changed: [] },
      });
    }
    const { code, stdout } = await run('doctor', '--api');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/new:\n +GET \/api\/open\/v1\/voices\n/),
    });
    expect((await run('doctor', '--strict-schema')).code).toBe(0);
  });

  it('takes a damaged file of the last looks for none', async () => {
    await run('doctor', '--api');
    await writeFile(looks(), '{"version":1');
    expect((await run('doctor', '--api')).stdout).toContain('first look');
  });

  it('says that there is no schema, and that voxbatch works without it', async () => {
    const server = await serve(always(404, '<!doctype html>'));
    process.env['VOXBATCH_API_URL'] = `${server.origin}/api/open/v1`;
    const { code, stderr } = await run('doctor', '--api');
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('voxbatch works without it') });
  });
});
