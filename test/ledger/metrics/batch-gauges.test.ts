import { expect, it } from '@jest/globals';
import { accept, giveUpWaiting, send } from '../actions.ts';
import { fill, ledger, ledgerForEachTest, load, upTo } from '../setup.ts';
import { batchOf, chargesOf, money } from '../readings.ts';

ledgerForEachTest();

/** Closes a batch: its rows are cancelled. */
async function close(name: string): Promise<void> {
  await ledger.setControl(name, 'stopping');
  await ledger.cancelRest(name);
  await ledger.closeBatch(name);
}

it('a batch in numbers is what its counts, its money and its record say', async () => {
  await load(4, { settings: { budget: 100 } });
  for (const row of [1, 2]) await accept(row);
  await send(3);
  const [shown, ...others] = await ledger.gauges();
  expect(others).toEqual([]);
  expect(shown).toMatchObject({
    batch: 'b',
    state: 'running',
    pausedBy: null,
    budget: 100,
    counts: await ledger.counts('b'),
    money: await money(),
  });
  expect(shown?.counts.total).toBe(4);
  expect(shown?.money.charged).toBeGreaterThan(0);
});

it('the age is that of the oldest request whose job is waited for: not of one that has ended, nor of an overdue one', async () => {
  const age = async (): Promise<number | undefined> => (await ledger.gauges())[0]?.oldestOpenMs;
  await fill(ledger, 2);
  expect(await age()).toBe(0);
  await accept(1);
  const since = (await chargesOf(1))[0]?.intentAt ?? 0;
  await new Promise((resolve) => setTimeout(resolve, 5));
  const [before, now, after] = [await ledger.readClock(), await age(), await ledger.readClock()];
  expect(now).toBeGreaterThanOrEqual(before - since);
  expect(now).toBeLessThanOrEqual(after - since);
  await giveUpWaiting(1);
  expect(await age()).toBe(0);
});

it('shows why a batch paused by itself, and no longer once it goes on', async () => {
  await fill(ledger, 1);
  await ledger.setControl('b', 'paused', { class: 'OutOfCredits', message: 'no credits' });
  expect(await ledger.gauges()).toMatchObject([{ state: 'paused', pausedBy: 'OutOfCredits' }]);
  await ledger.setControl('b', 'running');
  expect(await ledger.gauges()).toMatchObject([{ state: 'running', pausedBy: null }]);
});

it('shows open batches, however old, and the last 20 closed ones; no single job, and none that is being loaded', async () => {
  await fill(ledger, 1, 'old');
  for (const at of upTo(22)) {
    await fill(ledger, 1, `closed ${String(at)}`);
    await close(`closed ${String(at)}`);
  }
  const settings = { ...(await batchOf('old')).settings, single: 'say' };
  await load(1, { name: 'single', settings });
  await ledger.createBatch({ ...(await batchOf('old')), name: 'loading', subset: null });
  expect((await ledger.gauges()).map(({ batch }) => batch)).toEqual([
    'old',
    ...upTo(20).map((at) => `closed ${String(at + 2)}`),
  ]);
  expect((await ledger.gauges()).at(-1)).toMatchObject({ state: 'closed', counts: { outcomes: { cancelled: 1 } } });
});
