import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { claimUp } from '../../../embedded/up-claim.ts';
import { expectRun, lineForEach, run } from '../command-line.ts';

lineForEach();

describe('voxbatch up', () => {
  it('runs once in a home: a second one says so, or with --unless-running nothing', async () => {
    const home = join(process.cwd(), '.voxbatch');
    const claim = await claimUp(home);
    claim?.markReady();
    const err = `runs in ${home} already (process ${String(process.pid)})`;
    await expectRun('up', 75, { out: '', err });
    for (const flags of ['--unless-running', '--wait 1s']) await expectRun(`up ${flags}`, 0, { out: '', err: '' });
    claim?.release();
  });

  it('--wait says whether none is there or it is not ready', async () => {
    await expectRun('up --wait 1s', 4, 'No `voxbatch up` runs');
    const claim = await claimUp(join(process.cwd(), '.voxbatch'));
    await expectRun('up --wait 1s', 4, 'not ready after 1s');
    const waiting = run('up --wait 1h');
    claim?.markReady();
    expect(await waiting).toMatchObject({ code: 0 });
    claim?.release();
    await expectRun('up --wait soon', 2, 'length of time');
  });
});
