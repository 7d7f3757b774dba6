import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { FFMPEG } from '../../support/ffmpeg.ts';
import { json, lineForEach, run, simulate } from '../command-line.ts';

// No server is found, so none is started.
lineForEach({ VOXBATCH_TEMPORAL_CLI: '/no/temporal' });

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
    const says: unknown = expect.stringContaining('No API is configured');
    expect((await json('doctor')).value).toContainEqual({ check: 'api', ok: false, says });
  });

  it('says what to do where the records cannot be written', async () => {
    await writeFile('file', '');
    process.env['VOXBATCH_HOME'] = join(process.cwd(), 'file');
    expect((await run('doctor')).stdout).toMatch(
      /^BAD {2}disk +\S+file cannot be written: EEXIST.*\. Make it a folder that you may write to\. Only if no batch .* VOXBATCH_HOME/mu,
    );
  });

  it('makes no ledger: in a folder of somebody else it would count as made here', async () => {
    expect((await run('doctor')).stdout).toMatch(/^ok {3}ledger .*ledger\.db: none yet; the first batch makes it$/mu);
    expect([existsSync('.voxbatch/ledger.db'), existsSync('.state')]).toEqual([false, false]);
    await (await openLedger('.voxbatch/ledger.db')).close();
    expect((await run('doctor')).stdout).toMatch(/^ok {3}ledger .*ledger\.db: 0 batches, 0 unfinished$/mu);
  });

  it.each([
    ['which it is, and its version', { VOXBATCH_FFMPEG: FFMPEG }, /^ok {3}ffmpeg +\/.*ffmpeg, version \S*\d/mu],
    ['how to get one', { PATH: '' }, /^ok {3}ffmpeg +none, which is no fault: .*VOXBATCH_FFMPEG/mu],
    [
      'that there is none of that name',
      { VOXBATCH_FFMPEG: '/no/ffmpeg' },
      /^BAD {2}ffmpeg +VOXBATCH_FFMPEG names \/no\/ffmpeg, which does not exist or cannot be run\. /mu,
    ],
  ])('says of ffmpeg %s', async (_, env, words) => {
    const { PATH } = process.env;
    Object.assign(process.env, env);
    const { stdout } = await run('doctor');
    Object.assign(process.env, { PATH });
    expect(stdout).toMatch(words);
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
    expect(stdout).not.toMatch(/Nothing was| $/mu);
    const says: unknown = expect.stringContaining('voxbatch trust');
    expect((await json('doctor')).value).toContainEqual({ check: 'api', ok: false, says });
  });

  it('says of a wrong token that the API is there', async () => {
    await simulate({ token: 'right' });
    process.env['VOXBATCH_API_TOKEN'] = 'wrong';
    const { stdout } = await run('doctor');
    expect(stdout).toMatch(/^ok {3}api +http:[^]*^BAD {2}token, account, clock +The API at .+ refuses the token/mu);
  });
});
