import { writeFile } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { pathsIn } from '../../embedded/home.ts';
import { KernelLock } from '../../embedded/kernel-lock.ts';
import { claimUp, findUp } from '../../embedded/up-claim.ts';
import { folderForEach } from '../support/fresh-folder.ts';

describe('the claim of a home', () => {
  const home = folderForEach();

  it('is held by one, who starts and then is ready, until it is released', async () => {
    expect(findUp(home())).toEqual({ type: 'none' });
    expect(readdirSync(home())).toEqual([]);
    const claim = await claimUp(home());
    expect(findUp(home())).toEqual({ type: 'starting' });
    claim?.markReady();
    expect(findUp(home())).toEqual({ type: 'ready', pid: process.pid });
    expect(await claimUp(home())).toBeUndefined();
    claim?.release();
    claim?.release();
    expect(findUp(home())).toEqual({ type: 'none' });
    expect(existsSync(pathsIn(home()).upRecord)).toBe(false);
    (await claimUp(home()))?.release();
  });

  it('is refused without a wait for those who look where another one has it', async () => {
    const claim = await claimUp(home());
    expect(await claimUp(home(), Infinity)).toBeUndefined();
    claim?.release();
  });

  it('is not ready by the record of one that has died', async () => {
    const { upRecord, upLock } = pathsIn(home());
    // No process has this id: Linux and macOS give smaller ones.
    await writeFile(upRecord, JSON.stringify({ pid: 2 ** 30, isReady: true }));
    expect(findUp(home())).toEqual({ type: 'none' });
    const lock = new KernelLock(upLock);
    lock.tryExclusive();
    expect(findUp(home())).toEqual({ type: 'starting' });
    await writeFile(upRecord, '{');
    expect(findUp(home())).toEqual({ type: 'starting' });
    lock.close();
  });

  it('is got in spite of somebody who only looks', async () => {
    const looking = new KernelLock(pathsIn(home()).upLock);
    looking.tryShared();
    const claiming = claimUp(home());
    looking.close();
    const claim = await claiming;
    expect(claim).toBeDefined();
    claim?.release();
  });
});
