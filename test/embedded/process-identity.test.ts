import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { isProvenDead, processIdentity, startTimeOf } from '../../embedded/process-identity.ts';

describe('the identity of a process', () => {
  it('proves nothing of one that lives, is of another boot or machine, or has no identity', () => {
    const own = processIdentity() ?? '';
    expect(own).toMatch(/^\S+ pid:\[\d+\] \d+ \d+$/);
    expect(isProvenDead(own)).toBe(false);
    const [, space, pid] = own.split(' ');
    expect(isProvenDead(`another-boot ${space ?? ''} ${pid ?? ''} 1`)).toBe(false);
    expect(isProvenDead(own.replace(/pid:\[\d+\]/, 'pid:[1]'))).toBe(false);
    expect(isProvenDead('')).toBe(false);
  });

  it('proves that one is dead whose pid is gone, or has become another process', async () => {
    const own = processIdentity() ?? '';
    const child = spawn('true');
    await once(child, 'exit');
    expect(isProvenDead(own.replace(/ \d+ \d+$/, ` ${String(child.pid)} 1`))).toBe(true);
    expect(isProvenDead(own.replace(/ \d+$/, ' 1'))).toBe(true);
  });

  it('proves nothing of one that /proc hides, as with hidepid, unless the kernel knows no such pid', async () => {
    const own = processIdentity() ?? '';
    const hidden = (): undefined => undefined;
    expect(isProvenDead(own, hidden)).toBe(false);
    const child = spawn('true');
    await once(child, 'exit');
    expect(isProvenDead(own.replace(/ \d+ \d+$/, ` ${String(child.pid)} 1`), hidden)).toBe(true);
    expect(isProvenDead(own.replace(/ \d+ \d+$/, ' x 1'), hidden)).toBe(false);
  });
});

it('the start of a process is that of the clock on the wall, and none is told of one that has ended', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const now = Date.now();
  expect(Math.abs((startTimeOf(child.pid ?? 0) ?? 0) - now)).toBeLessThan(5_000);
  child.kill();
  await once(child, 'exit');
  expect(startTimeOf(child.pid ?? 0)).toBeUndefined();
});
