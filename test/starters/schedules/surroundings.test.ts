import { mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeHome } from '../../../embedded/home.ts';
import { KernelLock } from '../../../embedded/kernel-lock.ts';
import { claimUp } from '../../../embedded/up-claim.ts';
import { isLeftAlone, lookAround, nobodyFires } from '../../../starters/schedules/surroundings.ts';

describe('who is there to fire a schedule', () => {
  let home = '';

  beforeEach(async () => {
    home = join(await mkdtemp(join(tmpdir(), 'voxbatch-around-')), 'home');
  });
  afterEach(() => rm(join(home, '..'), { recursive: true }));

  const around = (): ReturnType<typeof lookAround> => lookAround({ home, cluster: undefined });

  it('is nobody where no process is in the home, whatever a worker that was killed had said', () => {
    expect(around()).toEqual({ isCluster: false, isDeserted: true, hasUp: false });
    expect(existsSync(home)).toBe(false);
    expect(isLeftAlone({ hasWorker: true }, around())).toBe(true);
    expect(nobodyFires(['nightly'], around())).toBe(
      'Nobody is there to fire "nightly": neither a server nor a worker runs here. Start both, and keep them running: ' +
        'voxbatch up (as a service: voxbatch up --print-unit systemd)',
    );
  });

  it('is a server whose worker is for another account; that of up has its place already', async () => {
    const member = new KernelLock(makeHome(home).membersLock);
    member.tryShared();
    expect(around()).toEqual({ isCluster: false, isDeserted: false, hasUp: false });
    expect(isLeftAlone({ hasWorker: true }, around())).toBe(false);
    expect(nobodyFires(['a', 'b'], around())).toMatch(/for the account of "a", "b" .* keep it running: voxbatch up$/);
    const claim = await claimUp(home);
    expect(nobodyFires(['a'], around())).toMatch(/: voxbatch worker$/);
    claim?.release();
    member.close();
  });

  it('is a worker of a cluster', () => {
    const cluster = lookAround({ home, cluster: { address: 'temporal:7233' } });
    expect(isLeftAlone({ hasWorker: false }, cluster)).toBe(true);
    expect(nobodyFires(['a'], cluster)).toMatch(/: voxbatch worker$/);
  });
});
