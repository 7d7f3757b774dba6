import { describe, expect, it } from '@jest/globals';
import type { AttemptKey } from '../../../contract/batch.ts';
import type { Failure } from '../../../contract/failures.ts';
import type { LoadedRow } from '../../../ledger/rows/row-records.ts';
import { answer, ask, complete, lose, redrive, REFUSED, send, settle } from '../actions.ts';
import { chargesOf, claimed, money, outcomes, rowOf } from '../readings.ts';
import { aBatch, aKey, aRow, ledger, ledgerForEachTest, load, upTo } from '../setup.ts';

const ACCOUNT = { apiUrl: aBatch().apiUrl, account: aBatch().account };
const REFUSAL: Failure = { class: 'BadRequest', message: 'Voice is still in training.', status: 400 };
const HOUR = 3_600_000;
const WATCH = { watchedMs: 0, silentMs: 0, wasRead: true };

/** Row 1 has made voice `v-1`; rows 2 to 4 wait for it, row 5 speaks with another. */
ledgerForEachTest(async () => {
  const waiting = [2, 3, 4].map((row): LoadedRow => {
    return { ...aRow(row), spec: { ...aRow(row).spec, voice: 'name:Ada' }, waitsFor: { type: 'made', row: 1 } };
  });
  await load([{ ...aRow(1), spec: { kind: 'voice', name: 'Ada', extra: {} } }, ...waiting, aRow(5)]);
  await complete(aKey(1, 1, 1, 'voice'), { jobId: 'v-1', text: 'v-1' });
  await ledger.settleVoices([{ batch: 'b', voice: 'v-1', then: 'use' }]);
});

/** A batch that was made after voice `v-1`: rows 1 and 2 speak with it, row 3 with another. */
function loadLater(): Promise<void> {
  const rows = upTo(3).map((row) => ({ ...aRow(row), spec: { ...aRow(row).spec, voice: row === 3 ? 'v' : 'v-1' } }));
  return load(rows, { name: 'c', digest: 'c' });
}

/** Begins the next attempt of a row. */
async function begin(row: number, batch = 'b'): Promise<AttemptKey> {
  const key = { ...aKey(row, (await chargesOf(row, batch)).length + 1), batch };
  await send(key);
  return key;
}

/** The voice of a request that was sent is refused. */
const refuseVoice = (key: AttemptKey): Promise<boolean> =>
  settle(key, { verdict: 'not-accepted', failure: REFUSAL }, { refusedVoice: 'v-1', refusal: REFUSAL });

async function refuse(row: number, batch?: string): Promise<void> {
  await refuseVoice(await begin(row, batch));
}

async function accept(row: number, batch?: string): Promise<void> {
  await answer(await begin(row, batch), { credits: 2 });
}

/** The look that is due next: it frees a row. */
async function tryOne(): Promise<void> {
  const now = Date.now() + HOUR;
  const due = await ledger.claimVoicePoll(ACCOUNT, now);
  const looks = due.map(
    ({ batch, voice }) => ({ batch, voice, then: 'try', lookedAt: now, dueAt: 0, watch: WATCH }) as const,
  );
  await ledger.settleVoices(looks);
}

/** How rows 2 to 5 stand. */
async function expectSpeakers(...standings: readonly string[]): Promise<void> {
  expect(await outcomes()).toEqual(['succeeded', ...standings]);
}

describe('a row that was refused because of its voice', () => {
  it('waits with all that would speak with it, and holds up no others', async () => {
    expect(await claimed()).toEqual([2, 3, 4, 5]);
    await refuse(2);
    await expectSpeakers('blocked', 'blocked', 'blocked', 'waiting');
    // A lane that had them sends none of them.
    expect(await ask(3)).toBe('blocked');
    expect(await claimed()).toEqual([5]);
    expect(await money()).toMatchObject({ charged: 2.5, reserved: 0 });
  });

  it('is looked at soon, and its refusal is known to whoever looks', async () => {
    const before = Date.now();
    await refuse(2);
    expect(await ledger.claimVoicePoll(ACCOUNT, before)).toEqual([]);
    const due = { voice: 'v-1', refusal: REFUSAL, watch: { watchedMs: 0 } };
    expect(await ledger.claimVoicePoll(ACCOUNT, Date.now() + 2_000)).toMatchObject([due]);
  });

  it('is tried by one row at a time, in turn, and not while one is under way', async () => {
    const expectOneFree = async (): Promise<void> => {
      expect((await ledger.counts('b')).states).toMatchObject({ blocked: 2, waiting: 2 });
    };
    await refuse(2);
    for (const row of [2, 3, 4, 2]) {
      await tryOne();
      await expectOneFree();
      await tryOne();
      expect(await claimed()).toEqual([row, 5]);
      await tryOne();
      await expectOneFree();
      await refuse(row);
    }
  });

  it('is free with all others as soon as one is accepted', async () => {
    await refuse(2);
    await tryOne();
    await accept(2);
    await expectSpeakers('processing', 'waiting', 'waiting', 'waiting');
    expect(await ledger.claimVoicePoll(ACCOUNT, Date.now() + HOUR)).toEqual([]);
    for (const row of [2, 3, 4]) expect((await rowOf(row)).awaitedVoice).toBeNull();
    await accept(3);
  });

  it('lets another one try if the row that tried ends for another reason', async () => {
    await refuse(2);
    await tryOne();
    await settle(await begin(2), { verdict: 'rejected', failure: REFUSED }, { outcome: 'failed', failure: REFUSED });
    await tryOne();
    await expectSpeakers('failed', 'waiting', 'blocked', 'waiting');
  });

  it('is tried again after a worker died with it', async () => {
    await refuse(2);
    await tryOne();
    for (let life = 1; life <= 2; life++) expect(await claimed()).toEqual([2, 5]);
    await accept(2);
    expect((await ledger.counts('b')).states.blocked).toBe(0);
  });

  it('fails with all that wait, unpaid; a row that is under way goes on by itself', async () => {
    await refuse(2);
    await tryOne();
    await claimed();
    const failure = { class: 'NoVoice', message: 'Too long.' } as const;
    await ledger.settleVoices([{ batch: 'b', voice: 'v-1', then: 'give-up', failure }]);
    await expectSpeakers('waiting', 'failed', 'failed', 'waiting');
    expect((await rowOf(2)).awaitedVoice).toBeNull();
    expect(await ledger.claimVoicePoll(ACCOUNT, Date.now() + HOUR)).toEqual([]);
    await redrive(3);
    await accept(2);
    expect(await claimed()).toEqual([2, 3, 5]);
  });

  it('waits, too, if its answer was lost and came late; rows that have their speech do not', async () => {
    await accept(3);
    await lose(2);
    await refuseVoice(aKey(2));
    await expectSpeakers('blocked', 'processing', 'blocked', 'waiting');
  });

  it('holds up rows that give the voice by its id', async () => {
    await loadLater();
    await refuse(1, 'c');
    expect(await outcomes('c')).toEqual(['blocked', 'blocked', 'waiting']);
    await expectSpeakers('waiting', 'waiting', 'waiting', 'waiting');
  });
});

describe('isNewVoice', () => {
  const MINE = { batch: 'b', voice: 'v-1', voiceRow: 1 };
  const BY_ID = { batch: 'c', voice: 'v-1', voiceRow: null };
  const isNew = (use: typeof MINE | typeof BY_ID, since = Date.now() - HOUR, account = ACCOUNT): Promise<boolean> =>
    ledger.isNewVoice(account, use, since);

  it('is true until speech with it was accepted, in whichever batch', async () => {
    await loadLater();
    await refuse(2);
    expect([await isNew(MINE), await isNew(BY_ID)]).toEqual([true, true]);
    await accept(2, 'c');
    expect(await isNew(BY_ID)).toBe(false);
    await tryOne();
    await accept(2);
    expect(await isNew(MINE)).toBe(false);
  });

  it('is false for a voice that was made before, by another account, or by nobody here', async () => {
    expect(await isNew(MINE, Date.now() + 1)).toBe(false);
    expect(await isNew(MINE, undefined, { ...ACCOUNT, account: 'other' })).toBe(false);
    expect(await isNew({ batch: 'b', voice: 'v', voiceRow: null })).toBe(false);
  });
});
