import { describe, expect, it } from '@jest/globals';
import type { BatchRecord } from '../../../ledger/record-types.ts';
import { notOpenedText } from '../../../starters/redrive/unended-words.ts';

describe('rows that could not be opened', () => {
  const reading = { kind: null, defaults: {}, map: {}, tts: 'job' };
  const batch = { name: 'l', source: 'l.csv', subset: null, settings: { reading }, control: 'running' } as BatchRecord;
  const why = 'Batch "l" is being stopped; no row was changed.';

  it('of a batch that is being stopped: says how to end it', () => {
    expect(notOpenedText({ ...batch, control: 'stopping' }, { opened: 0, why })).toBe(
      `${why} Nothing was spent. To end the batch first (what runs is fetched later, free): voxbatch stop l --now. Then run the same command again.`,
    );
  });

  it('all but some: says how to go on with those', () => {
    expect(notOpenedText(batch, { opened: 0, why })).toBe(`${why} Nothing was spent.`);
    expect(notOpenedText(batch, { opened: 2, why })).toBe(
      `${why} Nothing was spent. 2 rows were opened before that; continue with: voxbatch run l.csv`,
    );
  });
});
