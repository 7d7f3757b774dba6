import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { claimUp } from '../../../embedded/up-claim.ts';
import { openCommandLine, type CommandLine, run } from '../command-line.ts';

/** What a message says, without the time at its beginning. */
const saying = (text: string): unknown => expect.stringContaining(text);

describe('voxbatch up', () => {
  let line: CommandLine;
  let home: string;

  beforeEach(async () => {
    line = await openCommandLine();
    home = join(line.folder, '.voxbatch');
  });
  afterEach(() => line.close());

  it('runs once in a home: a second one says so, or with --unless-running nothing', async () => {
    const claim = await claimUp(home);
    claim?.markReady();
    const taken = `runs in ${home} already (process ${String(process.pid)})`;
    expect(await run('up')).toMatchObject({ code: 75, stdout: '', stderr: saying(taken) });
    expect(await run('up', '--unless-running')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await run('up', '--wait', '1s')).toEqual({ code: 0, stdout: '', stderr: '' });
    claim?.release();
  });

  it('--wait says whether none is there or it is not ready', async () => {
    expect(await run('up', '--wait', '1s')).toMatchObject({ code: 4, stderr: saying('No `voxbatch up` runs') });
    const claim = await claimUp(home);
    expect(await run('up', '--wait', '1s')).toMatchObject({ code: 4, stderr: saying('not ready after 1s') });
    const waiting = run('up', '--wait', '1h');
    claim?.markReady();
    expect(await waiting).toMatchObject({ code: 0 });
    claim?.release();
    expect(await run('up', '--wait', 'soon')).toMatchObject({ code: 2, stderr: saying('length of time') });
  });
});
