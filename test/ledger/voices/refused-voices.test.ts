import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AttemptKey } from '../../../contract/batch.ts';
import type { Failure } from '../../../contract/failures.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { LoadedRow } from '../../../ledger/record-types.ts';
import { aBatch, aKey, aRow, claimAnew, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

const ACCOUNT = { apiUrl: aBatch().apiUrl, account: aBatch().account };
const REFUSAL: Failure = { class: 'BadRequest', message: 'Voice is still in training.', status: 400 };
const HOUR = 3_600_000;
const WATCH = { watchedMs: 0, silentMs: 0, wasRead: true };
let ledger: Ledger;

/** Row 1 has made voice `v-1`; rows 2 to 4 wait for it, row 5 speaks with another. */
const MADE: readonly LoadedRow[] = [
  { ...aRow(1), spec: { kind: 'voice', name: 'Ada', extra: {} } },
  ...[2, 3, 4].map((row): LoadedRow => ({
    ...aRow(row),
    spec: { ...aRow(row).spec, voice: 'name:Ada' },
    waitsFor: { type: 'made', row: 1 },
  })),
  aRow(5),
];
/** Rows of a batch that was made after voice `v-1`: rows 1 and 2 speak with it, row 3 with another. */
const LATER: readonly LoadedRow[] = [1, 2, 3].map((row) => ({
  ...aRow(row),
  spec: { ...aRow(row).spec, voice: row === 3 ? 'v' : 'v-1' },
}));

async function load(name: string, rows: readonly LoadedRow[]): Promise<void> {
  await ledger.createBatch({ ...aBatch(name), digest: name });
  await ledger.addRows(name, rows);
  await ledger.openBatch(name, rows.length);
}

async function makeVoice(): Promise<void> {
  const key = aKey(1, 1, 1, 'voice');
  await ledger.intend(key, INTENT);
  await ledger.settle(key, { verdict: 'done', jobId: 'v-1' }, { outcome: 'succeeded', text: 'v-1' });
  await ledger.settleVoices([{ batch: 'b', voice: 'v-1', then: 'use' }]);
}

/** Begins the next attempt of a row. */
async function begin(row: number, batch = 'b'): Promise<AttemptKey> {
  const attempt = ((await ledger.readRow(batch, row))?.charges.length ?? 0) + 1;
  const key = { ...aKey(row, attempt), batch };
  expect(await ledger.intend(key, INTENT)).toMatchObject({ type: 'go' });
  return key;
}

async function refuse(row: number, batch?: string): Promise<void> {
  const key = await begin(row, batch);
  const verdict = { verdict: 'not-accepted', failure: REFUSAL } as const;
  await ledger.settle(key, verdict, { refusedVoice: 'v-1', refusal: REFUSAL });
}

async function accept(row: number, batch?: string): Promise<void> {
  const key = await begin(row, batch);
  const verdict = { verdict: 'accepted', jobId: `j${String(row)}`, credits: 2 } as const;
  await ledger.settle(key, verdict, { state: 'processing' });
}

/** The look that is due next: it frees a row. */
async function tryOne(): Promise<void> {
  const now = Date.now() + HOUR;
  const due = await ledger.takeVoiceLook(ACCOUNT, now);
  await ledger.settleVoices(
    due.map(({ batch, voice }) => ({ batch, voice, then: 'try', lookedAt: now, dueAt: 0, watch: WATCH })),
  );
}

async function standings(batch = 'b'): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const { row } of ledger.scanRows(batch)) all.push(row.outcome ?? row.state);
  return all;
}

async function claimed(): Promise<readonly number[]> {
  return (await claimAnew(ledger)).rows.map(({ row }) => row.row);
}

ledgerForEachTest((fresh) => {
  ledger = fresh;
});

beforeEach(async () => {
  await load('b', MADE);
  await makeVoice();
});

describe('a row that was refused because of its voice', () => {
  it('waits with all that would speak with it, and holds up no others', async () => {
    expect(await claimed()).toEqual([2, 3, 4, 5]);
    await refuse(2);
    expect(await standings()).toEqual(['succeeded', 'blocked', 'blocked', 'blocked', 'waiting']);
    // A lane that had them sends none of them.
    expect(await ledger.intend(aKey(3), INTENT)).toMatchObject({ type: 'blocked' });
    expect(await claimed()).toEqual([5]);
    expect(await ledger.money('b')).toMatchObject({ charged: 2.5, reserved: 0 });
  });

  it('is looked at soon, and its refusal is known to whoever looks', async () => {
    const before = Date.now();
    await refuse(2);
    expect(await ledger.takeVoiceLook(ACCOUNT, before)).toEqual([]);
    expect(await ledger.takeVoiceLook(ACCOUNT, Date.now() + 2_000)).toMatchObject([
      { voice: 'v-1', refusal: REFUSAL, watch: { watchedMs: 0 } },
    ]);
  });

  it('is tried by one row at a time, in turn, and not while one is under way', async () => {
    await refuse(2);
    for (const row of [2, 3, 4, 2]) {
      await tryOne();
      expect((await ledger.counts('b')).states).toMatchObject({ blocked: 2, waiting: 2 });
      await tryOne();
      expect(await claimed()).toEqual([row, 5]);
      await tryOne();
      expect((await ledger.counts('b')).states).toMatchObject({ blocked: 2, waiting: 2 });
      await refuse(row);
    }
  });

  it('is free with all others as soon as one is accepted', async () => {
    await refuse(2);
    await tryOne();
    await accept(2);
    expect(await standings()).toEqual(['succeeded', 'processing', 'waiting', 'waiting', 'waiting']);
    expect(await ledger.takeVoiceLook(ACCOUNT, Date.now() + HOUR)).toEqual([]);
    for (const row of [2, 3, 4]) expect((await ledger.readRow('b', row))?.row.awaitedVoice).toBeNull();
    await accept(3);
  });

  it('lets another one try if the row that tried ends for another reason', async () => {
    await refuse(2);
    await tryOne();
    const failure = { class: 'BadRequest', message: 'Bad emotion.' } as const;
    await ledger.settle(await begin(2), { verdict: 'rejected', failure }, { outcome: 'failed', failure });
    await tryOne();
    expect(await standings()).toEqual(['succeeded', 'failed', 'waiting', 'blocked', 'waiting']);
  });

  it('is tried again after a worker died with it', async () => {
    await refuse(2);
    await tryOne();
    expect(await claimed()).toEqual([2, 5]);
    expect(await claimed()).toEqual([2, 5]);
    await accept(2);
    expect((await ledger.counts('b')).states.blocked).toBe(0);
  });

  it('fails with all that wait, unpaid; a row that is under way goes on by itself', async () => {
    await refuse(2);
    await tryOne();
    await claimed();
    const failure = { class: 'NoVoice', message: 'Too long.' } as const;
    await ledger.settleVoices([{ batch: 'b', voice: 'v-1', then: 'give-up', failure }]);
    expect(await standings()).toEqual(['succeeded', 'waiting', 'failed', 'failed', 'waiting']);
    expect((await ledger.readRow('b', 2))?.row.awaitedVoice).toBeNull();
    expect(await ledger.takeVoiceLook(ACCOUNT, Date.now() + HOUR)).toEqual([]);
    await redriveNow(ledger, 'b', [{ row: 3, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
    await accept(2);
    expect(await claimed()).toEqual([2, 3, 5]);
  });

  it('waits, too, if its answer was lost and came late', async () => {
    await ledger.intend(aKey(2), INTENT);
    const failure = { class: 'OutcomeUnknown', message: 'Lost.' } as const;
    await ledger.settle(aKey(2), { verdict: 'unknown', failure }, { outcome: 'unknown', failure });
    await ledger.settle(
      aKey(2),
      { verdict: 'not-accepted', failure: REFUSAL },
      { refusedVoice: 'v-1', refusal: REFUSAL },
    );
    expect(await standings()).toEqual(['succeeded', 'blocked', 'blocked', 'blocked', 'waiting']);
  });

  it('is not held up by rows that have their speech', async () => {
    await accept(3);
    await refuse(2);
    expect(await standings()).toEqual(['succeeded', 'blocked', 'processing', 'blocked', 'waiting']);
  });

  it('holds up rows that give the voice by its id', async () => {
    await load('c', LATER);
    await refuse(1, 'c');
    expect(await standings('c')).toEqual(['blocked', 'blocked', 'waiting']);
    expect(await standings()).toEqual(['succeeded', 'waiting', 'waiting', 'waiting', 'waiting']);
  });
});

describe('isNewVoice', () => {
  const MINE = { batch: 'b', voice: 'v-1', voiceRow: 1 };
  const BY_ID = { batch: 'c', voice: 'v-1', voiceRow: null };
  const isNew = (use: typeof MINE | typeof BY_ID, since = Date.now() - HOUR, account = ACCOUNT): Promise<boolean> =>
    ledger.isNewVoice(account, use, since);

  it('is true until speech with it was accepted, in whichever batch', async () => {
    await load('c', LATER);
    await refuse(2);
    expect(await isNew(MINE)).toBe(true);
    expect(await isNew(BY_ID)).toBe(true);
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
