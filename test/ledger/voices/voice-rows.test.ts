import { describe, expect, it } from '@jest/globals';
import type { VoiceWait } from '../../../contract/batch.ts';
import type { LoadedRow } from '../../../ledger/rows/row-records.ts';
import type { RowEnding } from '../../../ledger/rows/row-effects.ts';
import { ask, lose, LOST, PAY, redrive, settle, stop } from '../actions.ts';
import { batchOf, claimed, close, money, outcomes, rowOf } from '../readings.ts';
import { aBatch, aKey, aRow, claimAnew, ledger, ledgerForEachTest, load, upTo } from '../setup.ts';

const ACCOUNT = { apiUrl: aBatch().apiUrl, account: aBatch().account };
const PAY_VOICE = { ...PAY, fromStep: 'voice' } as const;

ledgerForEachTest();

describe('rows whose voice another row makes', () => {
  /** Loads rows of which the first `makers` make voices, and the others speak with those of these rows. */
  async function loadMade(makers: number, ...waits: readonly number[]): Promise<void> {
    const speakers = waits.map((row, at): LoadedRow => {
      const speaker = aRow(makers + at + 1);
      return { ...speaker, spec: { ...speaker.spec, voice: `name:N${row}` }, waitsFor: { type: 'made', row } };
    });
    await load([...upTo(makers).map((row) => aRow(row, 'voice')), ...speakers]);
  }

  /** Ends a row without any request, as a late answer or a person may. */
  const end = (row: number, effect: RowEnding): Promise<unknown> =>
    ledger.giveUp({ ...aKey(row), step: 'voice' }, effect);

  it('wait for that row, then for a look at the voice, and speak with its id', async () => {
    await loadMade(2, 1, 2, 1);
    expect(await claimed()).toEqual([1, 2]);
    await end(1, { outcome: 'succeeded', text: 'v-1' });
    expect(await outcomes()).toEqual(['succeeded', 'waiting', 'blocked', 'blocked', 'blocked']);
    expect(await rowOf(3)).toMatchObject({ spec: { voice: 'v-1' }, awaitedVoice: 'v-1', voiceRow: 1 });
    expect(await rowOf(4)).toMatchObject({ spec: { voice: 'name:N2' }, awaitedVoice: null });
    const due = { batch: 'b', voice: 'v-1', watch: { wasRead: false } };
    expect(await ledger.claimVoicePoll(ACCOUNT, Date.now() + 1)).toMatchObject([due]);
    await ledger.settleVoices([{ batch: 'b', voice: 'v-1', then: 'use' }]);
    expect(await claimed()).toEqual([2, 3, 5]);
  });

  it.each(['failed', 'unknown', 'cancelled', 'skipped', 'overdue'] as const)(
    'end unpaid if that row ends %s, and say which it is',
    async (outcome) => {
      await loadMade(1, 1, 1);
      await end(1, { outcome });
      expect(await outcomes()).toEqual([outcome, 'failed', 'failed']);
      const { failure } = await rowOf(2);
      expect(failure?.class).toBe('NoVoice');
      expect(failure?.message).toContain(`Row 1 (r1) makes the voice of this row, and ended ${outcome}.`);
      await close();
    },
  );

  it('are back as soon as that row is redriven, and as soon as a late answer brings its voice', async () => {
    await loadMade(1, 1, 1);
    await end(1, { outcome: 'failed' });
    await close();
    await redrive(1, PAY_VOICE);
    expect(await outcomes()).toEqual(['waiting', 'blocked', 'blocked']);
    const again = aKey(1, 1, 2, 'voice');
    await lose(again);
    expect(await outcomes()).toEqual(['unknown', 'failed', 'failed']);
    await close();
    await settle(again, { verdict: 'done', jobId: 'v-7' }, { outcome: 'succeeded', text: 'v-7' });
    expect(await outcomes()).toEqual(['succeeded', 'blocked', 'blocked']);
    expect((await batchOf()).state).toBe('open');
    expect(await rowOf(3)).toMatchObject({ spec: { voice: 'v-7' }, failure: null, endedAt: null });
  });

  it('cannot be redriven past a row that did not succeed, unless a person gives them another voice', async () => {
    await loadMade(1, 1);
    await end(1, { outcome: 'failed' });
    await redrive(2);
    expect(await rowOf(2)).toMatchObject({ take: 2, outcome: 'failed', failure: { class: 'NoVoice' } });
    const spec = { ...aRow(2).spec, voice: 'narrator' };
    const edited = { spec, input: ['r2', 'Row 2', 'narrator'], quoted: 2.5 };
    await redrive(2, { ...PAY, reason: 'edited', edited });
    expect(await claimed()).toEqual([2]);
    expect(await rowOf(2)).toMatchObject({ voiceRow: null, spec: { voice: 'narrator' } });
  });

  it('speak with the first voice if that row makes another one after them', async () => {
    await loadMade(1, 1);
    await end(1, { outcome: 'succeeded', text: 'v-1' });
    await ledger.settleVoices([{ batch: 'b', voice: 'v-1', then: 'use' }]);
    await redrive(1, PAY_VOICE);
    expect(await outcomes()).toEqual(['waiting', 'waiting']);
    expect((await rowOf(2)).spec.voice).toBe('v-1');
  });

  it('are cancelled with that row if the batch is stopped, wherever they stand', async () => {
    // A stop ends rows in pages of 1,000.
    await loadMade(1, ...upTo(1_100).map(() => 1));
    await stop();
    expect((await ledger.counts('b')).outcomes).toMatchObject({ cancelled: 1_101, failed: 0 });
  });

  it.each([
    ['cleaned', 'failed'],
    ['stopped', 'unknown'],
  ] as const)('stay ended in a batch that was %s meanwhile, whatever a late answer brings', async (how, outcome) => {
    await loadMade(1, 1);
    const key = aKey(1, 1, 1, 'voice');
    await lose(key, LOST, { outcome, failure: LOST });
    if (how === 'stopped') await ledger.setControl('b', 'stopping');
    await close();
    if (how === 'cleaned') {
      await ledger.beginClean('b', { media: false, rows: true });
      await ledger.cleanRows('b', [1, 2]);
      await ledger.endClean('b');
    }
    await settle(key, { verdict: 'done', jobId: 'v-7' }, { outcome: 'succeeded', text: 'v-7' });
    expect(await outcomes()).toEqual(['succeeded', 'failed']);
    expect((await batchOf()).state).toBe('closed');
  });
});

describe('rows whose voice is in training', () => {
  /** Loads rows that wait for these voices; `undefined`: for nothing. */
  const loadWaiting = (...voices: readonly (string | undefined)[]): Promise<void> =>
    load(
      voices.map((voice, at): LoadedRow => {
        const waitsFor: VoiceWait | undefined = voice === undefined ? undefined : { type: 'training', voice };
        return { ...aRow(at + 1), ...(waitsFor && { waitsFor }) };
      }),
    );

  it('are not claimed, hold up no others, and are never sent, whoever asks', async () => {
    await loadWaiting('v-1', undefined, 'v-2', undefined);
    expect(await claimAnew(ledger)).toMatchObject({ exhausted: true, blocked: 2 });
    expect(await claimed()).toEqual([2, 4]);
    expect((await ledger.counts('b')).states).toMatchObject({ blocked: 2, waiting: 2 });
    expect(await ask(1)).toBe('blocked');
    expect(await money()).toMatchObject({ charged: 0, reserved: 0 });
  });

  it('are looked at by one caller at a time, once for all of a voice, and not while the batch is paused', async () => {
    await loadWaiting('v-1', 'v-1', 'v-2');
    const now = Date.now() + 1;
    await ledger.setControl('b', 'paused');
    expect(await ledger.claimVoicePoll(ACCOUNT, now)).toEqual([]);
    await ledger.setControl('b', 'running');
    // They are known to be in training: the list said so before the batch was made.
    const watch = { watchedMs: 0, silentMs: 0, wasRead: true };
    const due = ['v-1', 'v-2'].map((voice) => ({ voice, watch }));
    expect(await ledger.claimVoicePoll(ACCOUNT, now)).toMatchObject(due);
    expect(await ledger.claimVoicePoll(ACCOUNT, now)).toEqual([]);
    expect(await ledger.claimVoicePoll({ ...ACCOUNT, account: 'other' }, now + 120_000)).toEqual([]);
    // Whoever took it has died.
    expect(await ledger.claimVoicePoll(ACCOUNT, now + 120_000)).toMatchObject(due);
  });

  it('are free as soon as the voice is ready, wait on otherwise, and end unpaid if it takes too long', async () => {
    await loadWaiting('v-1', 'v-2', 'v-3', 'v-1');
    const now = Date.now();
    const watch = { watchedMs: 7_000, silentMs: 3_000, wasRead: true };
    await ledger.settleVoices([
      { batch: 'b', voice: 'v-1', then: 'use' },
      { batch: 'b', voice: 'v-2', then: 'look-again', lookedAt: now, dueAt: now + 5_000, watch },
      { batch: 'b', voice: 'v-3', then: 'give-up', failure: { class: 'NoVoice', message: 'Too long.' } },
    ]);
    expect(await claimed()).toEqual([1, 4]);
    expect(await rowOf(3)).toMatchObject({ outcome: 'failed', failure: { class: 'NoVoice' } });
    expect(await ledger.claimVoicePoll(ACCOUNT, now + 4_999)).toEqual([]);
    const due = { batch: 'b', voice: 'v-2', name: null, lookedAt: now, refusal: null, watch };
    expect(await ledger.claimVoicePoll(ACCOUNT, now + 5_000)).toEqual([due]);
  });

  it('end cancelled in a batch that is stopped', async () => {
    await loadWaiting('v-1', undefined);
    await stop();
    expect((await ledger.counts('b')).outcomes).toMatchObject({ cancelled: 2 });
    await close();
    expect(await ledger.claimVoicePoll(ACCOUNT, Date.now() + 1)).toEqual([]);
  });
});

describe('who needs a voice', () => {
  const ADA = { id: 'v-1', name: 'Ada' };
  const speaking = (row: number, voice: string): LoadedRow => ({ ...aRow(row), spec: { ...aRow(row).spec, voice } });
  const making = (row: number, name: string): LoadedRow => {
    return { ...aRow(row, 'voice'), spec: { kind: 'voice', name, extra: {} } };
  };

  it('is every open batch with rows that speak with it, paused ones too, until those rows have ended', async () => {
    await load([speaking(1, 'v-1'), speaking(2, 'v-2'), speaking(3, 'v-1')]);
    await load([speaking(1, 'v-1')], { name: 'a' });
    await ledger.setControl('a', 'paused');
    const users = [
      { batch: 'a', speaking: 1, making: 0 },
      { batch: 'b', speaking: 2, making: 0 },
    ];
    expect(await ledger.voiceUsers(ACCOUNT, ADA)).toEqual(users);
    expect(await ledger.voiceUsers({ ...ACCOUNT, account: 'other' }, ADA)).toEqual([]);
    for (const row of [1, 3]) await ledger.giveUp(aKey(row), { outcome: 'cancelled' });
    expect(await ledger.voiceUsers(ACCOUNT, ADA)).toEqual(users.slice(0, 1));
  });

  it('counts a row in parts once', async () => {
    const { spec } = speaking(1, 'v-1');
    await load([{ ...speaking(1, 'v-1'), parts: { first: 2, rows: upTo(3).map(() => ({ spec, quoted: 1 })) } }]);
    expect(await ledger.voiceUsers(ACCOUNT, ADA)).toEqual([{ batch: 'b', speaking: 1, making: 0 }]);
  });

  it('is a batch with a row that makes a voice of this name, and with rows that wait for that one', async () => {
    const waiting = { ...speaking(2, 'name:Ada'), waitsFor: { type: 'made', row: 1 } as const };
    await load([making(1, ' Ada '), waiting, making(3, 'Bob')]);
    expect(await ledger.voiceUsers(ACCOUNT, ADA)).toEqual([{ batch: 'b', speaking: 0, making: 1 }]);
    expect(await ledger.voiceUsers(ACCOUNT, { id: 'v-1', name: undefined })).toEqual([]);
    await ledger.giveUp({ ...aKey(1), step: 'voice' }, { outcome: 'succeeded', text: 'v-1' });
    expect(await ledger.voiceUsers(ACCOUNT, ADA)).toEqual([{ batch: 'b', speaking: 1, making: 0 }]);
  });
});
