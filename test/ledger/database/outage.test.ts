import { expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerAway } from '../../../ledger/errors.ts';
import { Outage } from '../../../ledger/database/outage.ts';

const away = (): Promise<never> => Promise.reject(new LedgerAway('postgres://db/x', 'it is away', 'Wait.'));

it('says for how long nothing could be recorded, while it lasts and shortly after', async () => {
  const outage = new Outage(60_000);
  expect(outage.lostOf(60_000)).toBe(0);
  let isBack = false;
  const first = outage.repeat(() => (isBack ? Promise.resolve() : away()));
  await sleep(300);
  // Who comes later has seen less of it.
  const second = outage.repeat(() => (isBack ? Promise.resolve() : away()));
  await sleep(100);
  expect(outage.lostOf(60_000)).toBeGreaterThanOrEqual(395);
  isBack = true;
  await Promise.all([first, second]);
  expect(outage.lostOf(60_000)).toBeGreaterThanOrEqual(395);
  expect(outage.lostOf(0)).toBe(0);
});
