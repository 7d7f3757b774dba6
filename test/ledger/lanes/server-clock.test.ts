import { expect, it, jest } from '@jest/globals';
import { openLedger } from '../../../ledger/open-ledger.ts';

it('the clock of a ledger that hosts share is that of its server, also if the clock of a host goes wrong', async () => {
  const own = Date.now.bind(Date);
  const shared = await openLedger(`${process.env['TEST_POSTGRES'] ?? ''}?schema=clocks`, { makesTables: true });
  try {
    // The second reading of each comes after a jump of this host's clock was noticed.
    for (let reading = 1; reading <= 4; reading++) {
      if (reading === 3) jest.spyOn(Date, 'now').mockImplementation(() => own() + 60_000);
      expect(Math.abs((await shared.readClock()) - own())).toBeLessThan(1_000);
    }
  } finally {
    jest.restoreAllMocks();
    await shared.close();
  }
});
