import { describe, expect, it } from '@jest/globals';
import type { VoiceWait } from '../../../contract/batch.ts';
import type { LoadedRow } from '../../../ledger/record-types.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { aBatch, aKey, aRow, claimAnew, INTENT, ledgerForEachTest } from '../setup.ts';

const ACCOUNT = { apiUrl: aBatch().apiUrl, account: aBatch().account };
let opened: Ledger;
ledgerForEachTest((fresh) => {
  opened = fresh;
});
const ledger = (): Ledger => opened;

/** Loads the batch `b` with these rows; `undefined`: it waits for nothing. */
async function load(...waits: readonly (VoiceWait | undefined)[]): Promise<void> {
  await ledger().createBatch(aBatch());
  const rows = waits.map((waitsFor, at): LoadedRow => {
    const row = aRow(at + 1);
    return waitsFor === undefined ? row : { ...row, waitsFor };
  });
  await ledger().addRows('b', rows);
  await ledger().openBatch('b', rows.length);
}

const training = (voice: string): VoiceWait => ({ type: 'training', voice });

async function claimed(): Promise<readonly number[]> {
  return (await claimAnew(ledger())).rows.map(({ row }) => row.row);
}

describe('rows whose voice is in training', () => {
  it('are not claimed, and hold up no others', async () => {
    await load(training('v-1'), undefined, training('v-2'), undefined);
    expect(await claimAnew(ledger())).toMatchObject({ exhausted: true, blocked: 2 });
    expect(await claimed()).toEqual([2, 4]);
    expect((await ledger().counts('b')).states).toMatchObject({ blocked: 2, waiting: 2 });
  });

  it('are never sent, whoever asks', async () => {
    await load(training('v-1'));
    expect(await ledger().intend(aKey(1), INTENT)).toMatchObject({ type: 'blocked' });
    expect(await ledger().money('b')).toMatchObject({ charged: 0, reserved: 0 });
  });

  it('are looked at by one caller at a time, once for all of a voice', async () => {
    await load(training('v-1'), training('v-1'), training('v-2'));
    const now = Date.now() + 1;
    const due = await ledger().takeVoiceLook(ACCOUNT, now);
    expect(due.map(({ voice }) => voice)).toEqual(['v-1', 'v-2']);
    expect(await ledger().takeVoiceLook(ACCOUNT, now)).toEqual([]);
    expect(await ledger().takeVoiceLook({ ...ACCOUNT, account: 'other' }, now + 120_000)).toEqual([]);
    // Whoever took it has died.
    expect(await ledger().takeVoiceLook(ACCOUNT, now + 120_000)).toHaveLength(2);
  });

  it('are known to be in training where the list said so before the batch was made', async () => {
    await load(training('v-1'));
    const [due] = await ledger().takeVoiceLook(ACCOUNT, Date.now() + 1);
    expect(due?.watch).toEqual({ watchedMs: 0, silentMs: 0, wasRead: true });
  });

  it('are not looked at while the batch is paused', async () => {
    await load(training('v-1'));
    await ledger().setControl('b', 'paused');
    expect(await ledger().takeVoiceLook(ACCOUNT, Date.now() + 1)).toEqual([]);
  });

  it('are free as soon as the voice is ready, wait on otherwise, and end unpaid if it takes too long', async () => {
    await load(training('v-1'), training('v-2'), training('v-3'), training('v-1'));
    const now = Date.now();
    const watch = { watchedMs: 7_000, silentMs: 3_000, wasRead: true };
    await ledger().settleVoices([
      { batch: 'b', voice: 'v-1', then: 'use' },
      { batch: 'b', voice: 'v-2', then: 'look-again', lookedAt: now, dueAt: now + 5_000, watch },
      { batch: 'b', voice: 'v-3', then: 'give-up', failure: { class: 'NoVoice', message: 'Too long.' } },
    ]);
    expect(await claimed()).toEqual([1, 4]);
    expect((await ledger().readRow('b', 3))?.row).toMatchObject({ outcome: 'failed', failure: { class: 'NoVoice' } });
    expect(await ledger().takeVoiceLook(ACCOUNT, now + 4_999)).toEqual([]);
    expect(await ledger().takeVoiceLook(ACCOUNT, now + 5_000)).toEqual([
      { batch: 'b', voice: 'v-2', name: null, lookedAt: now, refusal: null, watch },
    ]);
  });

  it('end cancelled in a batch that is stopped', async () => {
    await load(training('v-1'), undefined);
    await ledger().setControl('b', 'stopping');
    await ledger().cancelRest('b');
    expect((await ledger().counts('b')).outcomes).toMatchObject({ cancelled: 2 });
    expect(await ledger().closeBatch('b')).toBe(0);
    expect(await ledger().takeVoiceLook(ACCOUNT, Date.now() + 1)).toEqual([]);
  });
});
