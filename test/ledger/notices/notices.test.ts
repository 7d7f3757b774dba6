import { describe, expect, it, jest } from '@jest/globals';
import type { Failure } from '../../../contract/failures.ts';
import type { Tunables } from '../../../contract/tunables.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { formatOccurrence } from '../../../policy/schedules/occurrence.ts';
import { waitFor } from '../../support/wait-for.ts';
import { aBatch, aKey, aRow, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

type Hooks = Partial<Pick<Tunables, 'onEnd' | 'notify'>>;

const BOTH: Hooks = { onEnd: 'true', notify: 'https://hooks.example/x' };
const REASON: Failure = { class: 'OutOfCredits', message: 'No credits are left.' };
const ANY = { leaseMs: 60_000 };

let ledger: Ledger;
ledgerForEachTest((made) => {
  ledger = made;
});

async function load(hooks: Hooks): Promise<void> {
  const batch = aBatch();
  await ledger.createBatch({ ...batch, settings: { ...batch.settings, ...hooks } });
  await ledger.addRows('b', [aRow(1)]);
  await ledger.openBatch('b', 1);
}

async function end(take = 1): Promise<void> {
  await ledger.intend(aKey(1, 1, take), INTENT);
  await ledger.settle(aKey(1, 1, take), { verdict: 'rejected' }, { outcome: 'failed' });
  await ledger.closeBatch('b');
}

async function events(): Promise<readonly string[]> {
  return (await ledger.noticesOf('b')).map(({ event, target }) => `${event} ${target}`).sort();
}

describe('a notice', () => {
  it('is made of each hook when the batch ends, and again when it ends again', async () => {
    await load(BOTH);
    expect(await events()).toEqual([]);
    await end();
    expect(await events()).toEqual(['ended command', 'ended url']);
    await ledger.closeBatch('b');
    expect(await ledger.noticesOf('b')).toHaveLength(2);
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
    await end(2);
    expect(await ledger.noticesOf('b')).toHaveLength(4);
    expect(new Set((await ledger.noticesOf('b')).map(({ id }) => id)).size).toBe(4);
  });

  it('is made when the batch pauses by itself, once for each time', async () => {
    await load({ notify: 'https://hooks.example/x' });
    await ledger.setControl('b', 'paused');
    expect(await events()).toEqual([]);
    await ledger.setControl('b', 'running');
    await ledger.setControl('b', 'paused', REASON);
    await ledger.setControl('b', 'paused', REASON);
    await ledger.setControl('b', 'paused');
    expect(await events()).toEqual(['paused url']);
    await ledger.setControl('b', 'running');
    await ledger.setControl('b', 'paused', REASON);
    expect(await events()).toEqual(['paused url', 'paused url']);
  });

  it('is made of no batch without hooks, and by tune of one that has got them since', async () => {
    await load({});
    await ledger.setControl('b', 'paused', REASON);
    expect(await events()).toEqual([]);
    await ledger.tune('b', { onEnd: 'true' });
    await ledger.setControl('b', 'running');
    await end();
    expect(await events()).toEqual(['ended command']);
  });

  it('is left to who has it until the lease is over, and is delivered once', async () => {
    await load({ onEnd: 'true' });
    await end();
    expect(await ledger.takeNotice({ ...ANY, batch: 'other' })).toBeUndefined();
    expect(await ledger.takeNotice({ ...ANY, event: 'paused' })).toBeUndefined();
    const first = await ledger.takeNotice({ batch: 'b', event: 'ended', leaseMs: 0 });
    expect(first).toMatchObject({ batch: 'b', event: 'ended', target: 'command', tries: 1 });
    // Whoever had it is gone, as far as anybody knows.
    const second = await ledger.takeNotice(ANY);
    expect(second).toEqual({ ...first, tries: 2 });
    expect(await ledger.takeNotice(ANY)).toBeUndefined();
    const id = second?.id ?? '';
    await ledger.keepNotice(id, 0);
    expect(await ledger.takeNotice(ANY)).toMatchObject({ id, tries: 3 });
    await ledger.noteDelivery(id, { type: 'delivered' });
    await ledger.noteDelivery(id, { type: 'failed', trouble: 'too late', retryAt: 0 });
    await ledger.keepNotice(id, 0);
    expect(await ledger.takeNotice(ANY)).toBeUndefined();
    expect(await ledger.noticesOf('b')).toMatchObject([{ trouble: null, endedAt: expect.any(Number) }]);
  });

  it('is due again when it says, and never once it is given up', async () => {
    await load({ onEnd: 'true' });
    await end();
    const { id = '' } = (await ledger.takeNotice(ANY)) ?? {};
    await ledger.noteDelivery(id, { type: 'failed', trouble: 'no answer', retryAt: Date.now() + 60_000 });
    expect(await ledger.takeNotice(ANY)).toBeUndefined();
    expect(await ledger.noticesOf('b')).toMatchObject([{ trouble: 'no answer', endedAt: null }]);
    await ledger.noteDelivery(id, { type: 'failed', trouble: 'no answer', retryAt: Date.now() - 1 });
    expect(await ledger.takeNotice(ANY)).toMatchObject({ id });
    await ledger.noteDelivery(id, { type: 'failed', trouble: 'gone', retryAt: null });
    expect(await ledger.takeNotice(ANY)).toBeUndefined();
    expect(await ledger.noticesOf('b')).toMatchObject([{ trouble: 'gone', endedAt: expect.any(Number) }]);
  });

  it('of another batch is left for a while to the command that runs that batch', async () => {
    await load({ onEnd: 'true' });
    await end();
    expect(await ledger.takeNotice({ leaseMs: 0, othersAfterMs: 60_000 })).toBeUndefined();
    expect(await ledger.takeNotice({ leaseMs: 0, othersAfterMs: 60_000, batch: 'other' })).toBeUndefined();
    expect(await ledger.takeNotice({ leaseMs: 0, othersAfterMs: 60_000, batch: 'b' })).toMatchObject({ batch: 'b' });
    expect(await ledger.takeNotice({ leaseMs: 0, othersAfterMs: 0, batch: 'other' })).toMatchObject({ batch: 'b' });
    expect(await ledger.takeNotice({ leaseMs: 0, othersAfterMs: 0 })).toMatchObject({ batch: 'b' });
  });

  it('of a batch of a schedule is left to its firing, which writes the files, and then to anybody at once', async () => {
    const occurrence = { schedule: 'b', at: Date.parse('2026-12-01T02:00:00Z') };
    const name = formatOccurrence(occurrence);
    const batch = aBatch();
    await ledger.createBatch({ ...batch, name, settings: { ...batch.settings, notify: 'https://hooks.example/x' } });
    await ledger.addRows(name, [aRow(1)]);
    await ledger.openBatch(name, 1);
    await ledger.beginOccurrence(occurrence);
    const key = { ...aKey(1), batch: name };
    await ledger.intend(key, INTENT);
    await ledger.settle(key, { verdict: 'rejected' }, { outcome: 'failed' });
    await ledger.closeBatch(name);
    const left = { leaseMs: 0, othersAfterMs: 0 };
    expect(await ledger.takeNotice(left)).toBeUndefined();
    expect(await ledger.takeNotice({ ...left, batch: name })).toMatchObject({ batch: name });
    const later = Date.now() + 600_001;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(later);
    expect(await ledger.takeNotice({ leaseMs: -600_001, othersAfterMs: 0 })).toMatchObject({ batch: name });
    clock.mockRestore();
    expect(await ledger.takeNotice(left)).toBeUndefined();
    await ledger.endOccurrence(occurrence, { type: 'ended', exit: 'failures' });
    const ended = await ledger.takeNotice({ leaseMs: 0, othersAfterMs: 60_000 });
    expect(ended).toMatchObject({ batch: name });
    await ledger.noteDelivery(ended?.id ?? '', { type: 'delivered' });
    // A command redrives it, and writes the files again.
    await redriveNow(ledger, name, [{ row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
    const now = Date.now();
    await waitFor(() => Date.now() > now + 1);
    await ledger.intend({ ...key, take: 2 }, INTENT);
    await ledger.settle({ ...key, take: 2 }, { verdict: 'rejected' }, { outcome: 'failed' });
    await ledger.closeBatch(name);
    expect(await ledger.takeNotice({ leaseMs: 0, othersAfterMs: 60_000 })).toBeUndefined();
  });
});
