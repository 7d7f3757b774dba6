import { describe, expect, it } from '@jest/globals';
import type { AttemptView } from './ledger-view.ts';
import { chargeOf } from './sample-charges.ts';
import { sortIntoWindows, submitsInFlight, WindowTable } from './windows.ts';

const attempt = (row: number, state: string, rowState: string): AttemptView => ({
  ...{ batch: 'lines', row, step: 'speech', take: 1, attempt: 1, state, jobId: null, owner: 'host 77 abc' },
  ...{ intentAt: 1, verdictAt: null, rowState, outcome: null },
});
const OPEN = [
  attempt(1, 'sending', 'submitting'),
  attempt(2, 'sending', 'submitting'),
  attempt(3, 'accepted', 'processing'),
  attempt(4, 'accepted', 'fetching'),
];

describe('windows', () => {
  it('tells what was taken without a verdict from what was not, and waiting from fetching', () => {
    const counts = sortIntoWindows(OPEN, [chargeOf(2)], 77);
    expect(Object.fromEntries(counts)).toEqual({
      'intent, not taken': 1,
      'intent, taken, no verdict': 1,
      'verdict, job runs': 1,
      'result is fetched': 1,
    });
    expect(submitsInFlight(counts)).toBe(2);
  });

  it('looks at one process only if it is told which', () => {
    expect([...sortIntoWindows(OPEN, [], 78)]).toEqual([['nothing in flight', 1]]);
    expect(submitsInFlight(sortIntoWindows(OPEN, []))).toBe(2);
  });

  it('are counted per kind of event', () => {
    const table = new WindowTable();
    table.add('kill', sortIntoWindows(OPEN, []));
    table.add('kill', sortIntoWindows([], []));
    expect(table.lines().at(-1)).toMatch(/^kill +\| +2 \| +1 \| +1 \| +0 \| +1 \| +1 \| +0$/);
  });
});
