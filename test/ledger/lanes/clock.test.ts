import { expect, it, jest } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import { ledger, ledgerForEachTest } from '../setup.ts';

ledgerForEachTest();

const own = Date.now.bind(Date);

/** How far a ledger's clock is ahead, ms. The second reading comes after a jump of this host's clock was noticed. */
async function aheadOf(one: Ledger): Promise<readonly number[]> {
  return [(await one.readClock()) - own(), (await one.readClock()) - own()];
}

/** The clock of this host goes wrong by a minute. */
function moveClock(): void {
  jest.spyOn(Date, 'now').mockImplementation(() => own() + 60_000);
}

it('the clock of a ledger on one machine is that of the machine', async () => {
  moveClock();
  for (const ahead of await aheadOf(ledger)) expect(Math.abs(ahead - 60_000)).toBeLessThan(1_000);
});
