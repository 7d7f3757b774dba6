import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_PRICES } from '../../../contract/row-kinds.ts';
import { toSettings } from '../../../ledger/records.ts';

describe('the settings of a batch', () => {
  it('have a price for operations that came after it was made, and keep those that it was made with', () => {
    const price = { unit: 'job', credits: 30, estimate: false };
    expect(toSettings(JSON.stringify({ prices: { 'lip-sync-job': price } })).prices).toEqual({
      ...BUILT_IN_PRICES,
      'lip-sync-job': price,
    });
  });
});
