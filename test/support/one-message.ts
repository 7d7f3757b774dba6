import { expect } from '@jest/globals';
import type { Ended } from './live-world.ts';

/** Exactly one message of ours, on stderr, in words for a user. */
export function messageOf({ stdout, stderr }: Ended): string {
  expect(stdout).toBe('');
  expect(stderr).not.toMatch(/^[ \t]+at .+:\d+/m);
  expect(stderr).not.toMatch(/internal error|UnhandledPromise|node:internal/);
  const messages = stderr.split('\n').filter((line) => line.startsWith('voxbatch: '));
  expect(messages).toHaveLength(1);
  return stderr.slice(stderr.indexOf('voxbatch: '));
}
