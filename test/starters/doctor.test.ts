import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openCommandLine, type CommandLine } from './command-line.ts';

let line: CommandLine;
beforeEach(async () => {
  // No server is found, so none is started.
  line = await openCommandLine({ VOXBATCH_TEMPORAL_CLI: '/no/temporal' });
});
afterEach(() => line.close());

describe('doctor', () => {
  it('tells every check in its table, also one that fails before anything was asked: no API, no token', async () => {
    const { stdout, stderr } = await line.run('doctor');
    expect(stdout.split('\n').map((one) => one.slice(0, 27).trim())).toEqual([
      'ok   node',
      'ok   disk',
      'ok   ledger',
      'BAD  server',
      'BAD  api',
      'BAD  token, account, clock',
      '',
    ]);
    expect(stdout).toContain('No API is configured. Set VOXBATCH_API_URL');
    expect(stdout).toMatch(/can be written, [\d.,]+ [GT]B free/);
    expect(stderr).toBe('');
    const checks = JSON.parse((await line.run('doctor', '--json')).stdout) as unknown;
    expect(checks).toContainEqual({ check: 'api', ok: false, says: expect.stringContaining('No API is configured') });
  });
});
