import { expect, it } from '@jest/globals';
import { laneMessages } from '../../../client/work/lane-messages.ts';

const LANE = { type: 'lane', batch: 'lines', lane: 2 } as const;

it('tells when work on a batch begins and ends, and of nothing in between', () => {
  const laneLine = laneMessages();
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

it('tells once of a batch whose slices end at once with nothing done, until it has rows again', () => {
  const laneLine = laneMessages();
  const slices = Array.from({ length: 20 }, () => [
    laneLine({ ...LANE, is: 'taken' }),
    laneLine({ ...LANE, is: 'more', rows: 0 }),
  ]);
  expect(slices.flat().filter((line) => line !== undefined)).toEqual(['Batch "lines", lane 2: work begins here.']);
  expect(laneLine({ ...LANE, batch: 'others', is: 'taken' })).toContain('"others", lane 2: work begins here');
  laneLine({ ...LANE, is: 'claimed', rows: 1 });
  expect(laneLine({ ...LANE, is: 'more', rows: 1 })).toContain('after 1 row done');
  expect(laneLine({ ...LANE, is: 'taken' })).toContain('work begins here');
});

it('tells once of each batch that the ledger does not have, of some, and breaks no line for their names', () => {
  const laneLine = laneMessages();
  const missing = (batch: string): string | undefined => laneLine({ type: 'note', what: 'batch-missing', batch });
  expect(missing('a\nb')).toContain(String.raw`work on batch "a\nb", which`);
  expect(missing('a\nb')).toBeUndefined();
  expect(missing('x'.repeat(10_000))?.length).toBeLessThan(1_000);
  expect(Array.from({ length: 100 }, (_, at) => missing(`n${String(at)}`)).filter(Boolean).length).toBeLessThan(20);
});
