import { expect, it, jest } from '@jest/globals';
import { ledger, ledgerForEachTest } from '../setup.ts';

ledgerForEachTest();

it('the clock of a ledger on one machine is that of the machine', async () => {
  const own = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => own() + 60_000);
  // The second reading comes after a jump of this host's clock was noticed.
  for (let reading = 1; reading <= 2; reading++)
    expect(Math.abs((await ledger.readClock()) - own() - 60_000)).toBeLessThan(1_000);
});
