import { describe, expect, it, jest } from '@jest/globals';
import type { Failure } from '../../../contract/failures.ts';
import type { Tunables } from '../../../contract/tunables.ts';
import { formatOccurrence } from '../../../policy/schedules/occurrence.ts';
import { waitFor } from '../../support/wait-for.ts';
import { PAY, redrive, reject } from '../actions.ts';
import { close } from '../readings.ts';
import { aKey, ledger, ledgerForEachTest, load } from '../setup.ts';

const ON_END = { onEnd: 'true' };
const NOTIFY = { notify: 'https://hooks.example/x' };
const REASON: Failure = { class: 'OutOfCredits', message: 'No credits are left.' };
const ANY = { leaseMs: 60_000 };

ledgerForEachTest();

const loadWith = (settings: Partial<Tunables>, name = 'b'): Promise<void> => load(1, { name, settings });

async function end(take = 1, batch = 'b'): Promise<void> {
  await reject({ ...aKey(1, 1, take), batch });
  await close(batch);
}

async function events(): Promise<readonly string[]> {
  return (await ledger.noticesOf('b')).map(({ event, target }) => `${event} ${target}`).sort();
}

describe('a notice', () => {
  it('is made of each hook when the batch ends, and again when it ends again', async () => {
    await loadWith({ ...ON_END, ...NOTIFY });
    expect(await events()).toEqual([]);
    await end();
    await close();
    expect(await events()).toEqual(['ended command', 'ended url']);
    await redrive(1);
    await end(2);
    expect(new Set((await ledger.noticesOf('b')).map(({ id }) => id)).size).toBe(4);
  });

  it('is made when the batch pauses by itself, once for each time', async () => {
    await loadWith(NOTIFY);
    await ledger.setControl('b', 'paused');
    expect(await events()).toEqual([]);
    for (const told of [['paused url'], ['paused url', 'paused url']]) {
      await ledger.setControl('b', 'running');
      for (const reason of [REASON, REASON, undefined]) await ledger.setControl('b', 'paused', reason);
      expect(await events()).toEqual(told);
    }
  });

  it('is made of no batch without hooks, and by tune of one that has got them since', async () => {
    await loadWith({});
    await ledger.setControl('b', 'paused', REASON);
    expect(await events()).toEqual([]);
    await ledger.tune('b', ON_END);
    await ledger.setControl('b', 'running');
    await end();
    expect(await events()).toEqual(['ended command']);
  });

  it('is left to who has it until the lease is over, and is delivered once', async () => {
    await loadWith(ON_END);
    await end();
    expect(await ledger.takeNotice({ ...ANY, batch: 'other' })).toBeUndefined();
    expect(await ledger.takeNotice({ ...ANY, event: 'paused' })).toBeUndefined();
    const first = await ledger.takeNotice({ batch: 'b', event: 'ended', leaseMs: 0 });
    expect(first).toMatchObject({ batch: 'b', event: 'ended', target: 'command', tries: 1 });
    // Whoever had it is gone, as far as anybody knows.
    expect(await ledger.takeNotice(ANY)).toEqual({ ...first, tries: 2 });
    expect(await ledger.takeNotice(ANY)).toBeUndefined();
    const id = first?.id ?? '';
    await ledger.keepNotice(id, 0);
    expect(await ledger.takeNotice(ANY)).toMatchObject({ id, tries: 3 });
    await ledger.noteDelivery(id, { type: 'delivered' });
    await ledger.noteDelivery(id, { type: 'failed', trouble: 'too late', retryAt: 0 });
    await ledger.keepNotice(id, 0);
    expect(await ledger.takeNotice(ANY)).toBeUndefined();
    expect(await ledger.noticesOf('b')).toMatchObject([{ trouble: null, endedAt: expect.any(Number) }]);
  });

  it('is due again when it says, and never once it is given up', async () => {
    await loadWith(ON_END);
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
    await loadWith(ON_END);
    await end();
    const [later, now] = [
      { leaseMs: 0, othersAfterMs: 60_000 },
      { leaseMs: 0, othersAfterMs: 0 },
    ];
    for (const left of [later, { ...later, batch: 'other' }]) expect(await ledger.takeNotice(left)).toBeUndefined();
    for (const taken of [{ ...later, batch: 'b' }, { ...now, batch: 'other' }, now])
      expect(await ledger.takeNotice(taken)).toMatchObject({ batch: 'b' });
  });

  it('of a batch of a schedule is left to its firing, which writes the files, and then to anybody at once', async () => {
    const occurrence = { schedule: 'b', at: Date.parse('2026-12-01T02:00:00Z') };
    const name = formatOccurrence(occurrence);
    await loadWith(NOTIFY, name);
    await ledger.beginOccurrence(occurrence);
    await end(1, name);
    const [now, later] = [
      { leaseMs: 0, othersAfterMs: 0 },
      { leaseMs: 0, othersAfterMs: 60_000 },
    ];
    expect(await ledger.takeNotice(now)).toBeUndefined();
    expect(await ledger.takeNotice({ ...now, batch: name })).toMatchObject({ batch: name });
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 600_001);
    expect(await ledger.takeNotice({ ...now, leaseMs: -600_001 })).toMatchObject({ batch: name });
    clock.mockRestore();
    expect(await ledger.takeNotice(now)).toBeUndefined();
    await ledger.endOccurrence(occurrence, { type: 'ended', exit: 'failures' });
    const ended = await ledger.takeNotice(later);
    expect(ended).toMatchObject({ batch: name });
    await ledger.noteDelivery(ended?.id ?? '', { type: 'delivered' });
    // A command redrives it, and writes the files again.
    await ledger.redrive(name, [{ row: 1, take: 1, outcome: 'failed', how: PAY }]);
    const redrivenAt = Date.now();
    await waitFor(() => Date.now() > redrivenAt + 1);
    await end(2, name);
    expect(await ledger.takeNotice(later)).toBeUndefined();
  });
});
