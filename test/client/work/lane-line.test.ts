import { expect, it } from '@jest/globals';
import { laneLine } from '../../../client/work/lane-line.ts';

const LANE = { type: 'lane', batch: 'lines', lane: 2 } as const;

it('tells when work on a batch begins and ends, and of nothing in between', () => {
  expect(laneLine({ ...LANE, is: 'taken' })).toBe('Batch "lines", lane 2: work begins here.');
  expect(laneLine({ ...LANE, is: 'claimed', rows: 5 })).toBeUndefined();
  expect(laneLine({ ...LANE, is: 'idle', rows: 1 })).toBe('Batch "lines", lane 2: work ended here after 1 row done.');
  expect(laneLine({ ...LANE, is: 'more', rows: 40 })).toBe(
    'Batch "lines", lane 2: its slice ended here after 40 rows done; it is offered again.',
  );
  expect(laneLine({ type: 'note', what: 'batch-missing', batch: 'lines' })).toContain(
    'work on batch "lines", which its',
  );
  expect(laneLine({ type: 'note', what: 'odd-speech', batch: 'lines' })).toBeUndefined();
  expect(laneLine({ ...LANE, is: 'failed' })).toContain('it failed here after 0 rows done; it is offered again.');
});
