import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { JobHints } from '../../../activities/webhooks/job-hints.ts';
import { ForwardedHints } from '../../../client/webhooks/forwarded-hints.ts';
import { waitFor } from '../../support/wait-for.ts';

let left: string[];
let reads: number;
let hints: JobHints;
let passed: ForwardedHints;

beforeEach(() => {
  [left, reads, hints] = [[], 0, new JobHints()];
  const takeHints = (owner: string): Promise<readonly string[]> => {
    expect(owner).toBe('mine');
    reads += 1;
    const [taken] = [left, (left = [])];
    return Promise.resolve(taken);
  };
  passed = new ForwardedHints({ ledger: { takeHints }, owner: 'mine', hints, memoryMs: 10_000 });
});
afterEach(() => {
  passed.stop();
});

const begin = (jobId: string): void => {
  hints.track(jobId, {}, 0, 3_000);
};
const isDue = (jobId: string): boolean => hints.pollAt(jobId) < Infinity;

describe('hints that another process has left', () => {
  it('make a job be read, also if they came before anybody waited for it', async () => {
    left = ['job-1', 'of:another/kind'];
    passed.listen();
    begin('job-1');
    await waitFor(() => isDue('job-1'));
    begin('of:another/kind');
    begin('job-2');
    await waitFor(() => isDue('of:another/kind'));
    expect(isDue('job-2')).toBe(false);
    left = ['job-2'];
    await waitFor(() => isDue('job-2'));
  });

  it('are not read before another process receives webhooks, and all jobs are polled once it does no more', async () => {
    begin('job-1');
    expect([reads, hints.isUsed]).toEqual([0, false]);
    passed.listen();
    passed.listen();
    begin('job-2');
    expect([reads, isDue('job-2')]).toEqual([1, false]);
    passed.stop();
    expect(isDue('job-2')).toBe(true);
  });

  it('change nothing for webhooks that this process receives itself meanwhile', () => {
    passed.listen();
    hints.listen({ listenFor: () => undefined, forget: () => undefined });
    begin('job-1');
    passed.stop();
    expect(isDue('job-1')).toBe(false);
  });
});
