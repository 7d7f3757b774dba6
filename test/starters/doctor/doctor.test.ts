import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { startSimulator } from '../../../simulator/start-simulator.ts';
import { FFMPEG } from '../../support/ffmpeg.ts';
import { openCommandLine, type CommandLine, run, json } from '../command-line.ts';

let line: CommandLine;
beforeEach(async () => {
  // No server is found, so none is started.
  line = await openCommandLine({ VOXBATCH_TEMPORAL_CLI: '/no/temporal' });
});
afterEach(() => line.close());

describe('doctor', () => {
  it('tells every check in its table, also one that fails before anything was asked: no API, no token', async () => {
    const { stdout, stderr } = await run('doctor');
    expect(stdout.split('\n').map((one) => one.slice(0, 27).trim())).toEqual([
      'ok   node',
      'ok   disk',
      'ok   ffmpeg',
      'ok   ledger',
      'BAD  server',
      'BAD  api',
      'BAD  token, account, clock',
      '',
    ]);
    expect(stdout).toContain('No API is configured. Set VOXBATCH_API_URL');
    expect(stdout).toMatch(/can be written, [\d.,]+ [GT]B free/);
    expect(stderr).toBe('');
    const checks = JSON.parse((await run('doctor', '--json')).stdout) as unknown;
    expect(checks).toContainEqual({ check: 'api', ok: false, says: expect.stringContaining('No API is configured') });
  });

  it('makes no ledger: in a folder of somebody else it would count as made here', async () => {
    expect((await run('doctor')).stdout).toMatch(/^ok {3}ledger .*ledger\.db: none yet; the first batch makes it$/mu);
    expect([existsSync('.voxbatch/ledger.db'), existsSync('.state')]).toEqual([false, false]);
    await (await openLedger('.voxbatch/ledger.db')).close();
    expect((await run('doctor')).stdout).toMatch(/^ok {3}ledger .*ledger\.db: 0 batches, 0 unfinished$/mu);
  });

  it('says which ffmpeg is used, and its version, or how to get one', async () => {
    Object.assign(process.env, { VOXBATCH_FFMPEG: FFMPEG });
    expect((await run('doctor')).stdout).toMatch(/^ok {3}ffmpeg +\/.*ffmpeg, version \S*\d/mu);
    delete process.env['VOXBATCH_FFMPEG'];
    process.env['PATH'] = '';
    expect((await run('doctor')).stdout).toMatch(/^ok {3}ffmpeg +none, which is no fault: .*VOXBATCH_FFMPEG/mu);
    Object.assign(process.env, { VOXBATCH_FFMPEG: '/no/ffmpeg' });
    expect((await run('doctor')).stdout).toMatch(
      /^BAD {2}ffmpeg +VOXBATCH_FFMPEG names \/no\/ffmpeg, which does not exist or cannot be run\. /mu,
    );
  });

  it('says of the API that nothing answers there', async () => {
    Object.assign(process.env, { VOXBATCH_API_URL: 'http://127.0.0.1:9/api/open/v1', VOXBATCH_API_TOKEN: 'token' });
    const { code, stdout } = await run('doctor');
    expect(code).not.toBe(0);
    expect(stdout).toMatch(/^BAD {2}api +The API at http:\/\/127\.0\.0\.1:9\/api\/open\/v1 cannot be reached: /mu);
  });

  it('says once what is not confirmed yet, and not that it spent nothing', async () => {
    await writeFile('voxbatch.config.json', '{"api":{"url":"http://127.0.0.1:9/api/open/v1"}}');
    process.env['VOXBATCH_API_TOKEN'] = 'token';
    const { code, stdout } = await run('doctor');
    expect(code).not.toBe(0);
    expect(stdout.match(/If all of it is right, run: voxbatch trust/gu)).toHaveLength(1);
    expect(stdout).toMatch(/^BAD {2}token, account, clock +not checked, for the same reason$/mu);
    expect(stdout).not.toContain('Nothing was');
    expect(stdout).not.toMatch(/ $/mu);
    const { value } = await json('doctor', '--json');
    expect(value).toContainEqual({ check: 'api', ok: false, says: expect.stringContaining('voxbatch trust') });
  });

  it('says of a wrong token that the API is there', async () => {
    const simulator = await startSimulator({ token: 'right' });
    try {
      Object.assign(process.env, { VOXBATCH_API_URL: simulator.url, VOXBATCH_API_TOKEN: 'wrong' });
      const { stdout } = await run('doctor');
      expect(stdout).toMatch(/^ok {3}api +http:/mu);
      expect(stdout).toMatch(/^BAD {2}token, account, clock +The API at .+ refuses the token/mu);
    } finally {
      await simulator.close();
    }
  });
});
