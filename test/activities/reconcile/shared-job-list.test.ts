import { describe, expect, it } from '@jest/globals';
import { SharedJobLists, type JobListing } from '../../../activities/reconcile/shared-job-list.ts';

/** Readings that end when they are told to. */
class Readings {
  readonly ends: ((listing: JobListing | Error) => void)[] = [];

  readonly read = (): Promise<JobListing> =>
    new Promise((resolve, reject) => {
      this.ends.push((end) => {
        if (end instanceof Error) reject(end);
        else resolve(end);
      });
    });
}

const listing = (begunAt: number): JobListing => ({ jobs: [], begunAt, isComplete: true });
const LIST = { dialect: 'v1', operation: 'lip-sync-job' } as const;
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('SharedJobLists', () => {
  it('gives everybody a list that begins after he asked, and shares it', async () => {
    const [listings, readings] = [new SharedJobLists(), new Readings()];
    const first = listings.next(LIST, readings.read);
    await soon();
    expect(readings.ends).toHaveLength(1);
    const later = [listings.next(LIST, readings.read), listings.next(LIST, readings.read)];
    await soon();
    // Not the one that runs, and not one beside it.
    expect(readings.ends).toHaveLength(1);
    readings.ends[0]?.(listing(1));
    expect(await first).toEqual(listing(1));
    await soon();
    expect(readings.ends).toHaveLength(2);
    readings.ends[1]?.(listing(2));
    expect(await Promise.all(later)).toEqual([listing(2), listing(2)]);
  });

  it('goes on after one that could not be read', async () => {
    const [listings, readings] = [new SharedJobLists(), new Readings()];
    const first = listings.next(LIST, readings.read);
    await soon();
    const second = listings.next(LIST, readings.read);
    readings.ends[0]?.(new Error('no list'));
    await expect(first).rejects.toThrow('no list');
    await soon();
    readings.ends[1]?.(listing(2));
    expect(await second).toEqual(listing(2));
  });
});
