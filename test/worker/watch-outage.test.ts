import { describe, expect, it } from '@jest/globals';
import type { OutageStatus } from '../../store/outage.ts';
import { watchOutage, type OutageEvent } from '../../worker/watch-outage.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { waitFor } from '../support/wait-for.ts';

/** What is told of a place whose news this is, one after the other, the last one for ever. */
function tellOf(news: (OutageStatus | undefined)[]): { readonly told: OutageEvent[]; readonly seen: () => boolean } {
  const told: OutageEvent[] = [];
  let last: OutageStatus | undefined;
  const next = (): Promise<OutageStatus | undefined> => {
    if (news.length > 0) last = news.shift();
    return Promise.resolve(last);
  };
  endAfterTest(watchOutage('ledger', next, (event) => told.push(event)));
  return { told, seen: () => news.length === 0 };
}

const away = (forMs: number): OutageStatus => ({ forMs, problem: 'no answer' });

describe('a place that workers wait for', () => {
  it('is told of when it goes away for a while, when it waits for a person, and when it is back', async () => {
    const refused = { problem: 'the password is wrong', needsPerson: true };
    const copy = { problem: 'it is a copy', needsPerson: true };
    const { told, seen } = tellOf([
      away(1_000),
      away(3_000),
      away(4_000),
      { forMs: 4_500, ...refused },
      { forMs: 5_000, ...copy },
      { forMs: 6_000, ...copy },
      undefined,
      undefined,
    ]);
    await waitFor(seen);
    expect(told).toEqual([
      { of: 'ledger', type: 'away', forMs: 3_000, problem: 'no answer' },
      { of: 'ledger', type: 'away', forMs: 4_500, ...refused },
      { of: 'ledger', type: 'away', forMs: 5_000, ...copy },
      { of: 'ledger', type: 'back', afterMs: 6_000 },
    ]);
  });

  it('is not told of if it only made a connection anew', async () => {
    const { told, seen } = tellOf([away(1_000), undefined, undefined]);
    await waitFor(seen);
    expect(told).toEqual([]);
  });
});
