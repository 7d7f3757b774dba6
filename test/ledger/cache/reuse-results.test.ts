import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AttemptKey } from '../../../contract/batch.ts';
import type { ResultUse } from '../../../ledger/cache/reuse-results.ts';
import type { ResultFile } from '../../../ledger/records.ts';
import type { ResultRecord } from '../../../ledger/cache/found-results.ts';
import type { IntentAnswer, Intent } from '../../../ledger/requests/intent-records.ts';
import { accept, adopt, ask, backTo, complete, FILE, finish, giveUpWaiting, GONE, lose } from '../actions.ts';
import { redrive, RESUBMIT, send, settle, UNFIT, WAIT, WAITING, LOST } from '../actions.ts';
import { chargesOf, kept, money, rowOf } from '../readings.ts';
import { aDub, aKey, INTENT, ledger, ledgerForEachTest, load, upTo } from '../setup.ts';

const KEY = 'a-key';
const COPY: ResultFile = { ...FILE, key: 'b/2-speech-1-cached.mp3' };
const MADE = { resultKey: KEY };
const KEYED: Partial<Intent> = { ...MADE, reuse: { passOver: [] } };

ledgerForEachTest(() => load(3));

/** Makes a result: the whole way of a paid row. */
async function make(at: number | AttemptKey, intent: Partial<Intent> = KEYED): Promise<void> {
  await accept(at, { credits: 3 }, intent);
  await finish(at, { file: FILE });
}

async function onlyResult(key = KEY): Promise<ResultRecord> {
  const [result] = await ledger.findResults([key]);
  if (result === undefined) throw new Error('there is no result');
  return result;
}

function useOf(result: ResultRecord, more: Partial<ResultUse> = {}): ResultUse {
  return { result, file: COPY, extraFiles: [], saved: 2.5, owner: 'w1', ...more };
}

async function use(at: AttemptKey, more: Partial<ResultUse> = {}): Promise<boolean> {
  return (await ledger.useResult(at, useOf(await onlyResult(), more))).used;
}

describe('a result that later rows may use', () => {
  it('is kept when its job has ended well, and is forgotten when its file is gone, but its row keeps it', async () => {
    await make(1);
    const result = { ...aKey(1), key: KEY, file: FILE, jobId: 'j1', credits: 3, bytes: 3, text: null };
    expect(await ledger.findResults(['other', KEY])).toEqual([expect.objectContaining(result)]);
    await ledger.dropResult(aKey(1));
    expect(await ledger.findResults([KEY])).toEqual([]);
    expect((await rowOf(1)).outcome).toBe('succeeded');
  });

  it('is kept with its text and subtitles when the answer was the result', async () => {
    const srt = { ...FILE, key: 'b/1.srt', bytes: 5, extension: 'srt' };
    await complete(1, { file: FILE, credits: 1, extraFiles: [srt], text: 'Hello' }, KEYED);
    expect(await onlyResult()).toMatchObject({ text: 'Hello', extraFiles: [srt], bytes: 8, jobId: null });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a request without a key', () => make(1, {})],
    [
      'an unfit result',
      async () => {
        await accept(1, {}, KEYED);
        await finish(1, { file: FILE, failure: UNFIT }, { outcome: 'unfit', failure: UNFIT, file: FILE });
      },
    ],
    ['a lost answer', () => lose(1, LOST, { outcome: 'unknown' }, KEYED)],
    [
      'a job that a person named: nothing proves that it is the right one',
      async () => {
        await lose(1, LOST, { outcome: 'unknown' }, KEYED);
        await adopt(1, 'j');
        await finish(1, { file: FILE });
      },
    ],
  ])('is none of %s', async (_, happen) => {
    await happen();
    expect(await ledger.findResults([KEY])).toEqual([]);
  });

  it('is the newest first, and at most three of a key', async () => {
    await load(5, { name: 'many' });
    for (const row of upTo(5)) await make({ ...aKey(row), batch: 'many' }, MADE);
    const times = (await ledger.findResults([KEY])).map(({ madeAt }) => madeAt);
    expect(times).toHaveLength(3);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  it('is found by its key among many, page by page of those that were not used since', async () => {
    await load(5, { name: 'many' });
    for (const row of upTo(5)) await make({ ...aKey(row), batch: 'many' }, { resultKey: `key-${row}` });
    await make(1);
    expect((await ledger.keysWithResult(['key-2', 'key-9', KEY])).toSorted()).toEqual([KEY, 'key-2']);
    const now = Date.now();
    const first = await ledger.resultsUnused(now, '', 4);
    const rest = await ledger.resultsUnused(now, first.at(-1)?.[0]?.key ?? '', 4);
    expect([...first, ...rest].flat().map(({ key }) => key)).toEqual([KEY, ...upTo(5).map((n) => `key-${n}`)]);
    expect(await ledger.resultsUnused(now - 60_000, '', 4)).toEqual([]);
    await ledger.pruneResults([aKey(1)]);
    expect(await ledger.keysWithResult([KEY])).toEqual([]);
    expect((await rowOf(1)).file).toMatchObject({ ...FILE, removedAt: expect.any(Number) });
  });
});

describe('an intent with a key', () => {
  const intend = (row: number, intent = KEYED): Promise<IntentAnswer> =>
    ledger.intend(aKey(row), { ...INTENT, ...intent });

  /** Row 2 waits for the request of row 1, on which somebody works, or nobody. */
  async function expectAwaited(isAttended: boolean): Promise<void> {
    expect(await intend(2)).toMatchObject({ type: 'awaited', by: { ...aKey(1), isAttended }, charges: [] });
  }

  it('is not recorded where a result is there, unless it is to be made in any case', async () => {
    await make(1);
    expect(await intend(2)).toMatchObject({ type: 'cached', results: [{ row: 1 }], charges: [] });
    await send(2, MADE);
  });

  it.each(['sending', 'accepted', 'unknown'] as const)(
    'waits for another row whose request is %s, but not for one that was passed over',
    async (state) => {
      await send(1, KEYED);
      if (state !== 'sending') await settle(1, { verdict: state, jobId: 'j' }, { state: 'submitting' });
      await expectAwaited(false);
      await send(2, { ...KEYED, reuse: { passOver: [aKey(1)] } });
    },
  );

  it('says whether anybody works on what it waits for', async () => {
    await send(1, KEYED);
    const lane = await ledger.acquireLane({ batch: 'b', lane: 1, run: 'run', owner: 'w9' });
    const owners = { w9: true, w1: true };
    for (const [owner, isAttended] of Object.entries(owners)) {
      await ledger.beat({ owner, apiUrl: 'x', account: 'y' });
      await expectAwaited(isAttended);
      await ledger.forgetWorkers('all');
      await expectAwaited(false);
    }
    // Who lives, but works on the batch no more, and has the request not on the wire, does not count.
    await settle(1, { verdict: 'accepted', jobId: 'j' });
    await ledger.beat({ owner: 'w9', apiUrl: 'x', account: 'y' });
    await expectAwaited(true);
    await ledger.releaseLane(lane);
    await expectAwaited(false);
  });

  it('is never recorded once the batch may use nothing but earlier results', async () => {
    await ledger.tune('b', { cache: 'only' });
    for (const intent of [KEYED, {}])
      expect(await intend(1, intent)).toMatchObject({ type: 'cached', results: [], charges: [] });
  });

  it('waits for nobody whose row has ended, failed or is at another take', async () => {
    await accept(1, {}, KEYED);
    await giveUpWaiting(1);
    await send(2, KEYED);
    await settle(2, { verdict: 'rejected' }, { outcome: 'failed' });
    await send(3, KEYED);
  });
});

describe('an earlier result in place of a request', () => {
  beforeEach(() => make(1));

  it('ends its row cached, costs nothing, and says where it came from', async () => {
    expect(await use(aKey(2))).toBe(true);
    expect(await rowOf(2)).toMatchObject({ outcome: 'cached', file: COPY });
    const source = { is: 'used', from: aKey(1), jobId: 'j1', credits: 3 };
    const charge = { state: 'cached', charged: null, jobId: null, resultKey: KEY, file: COPY, source };
    expect(await chargesOf(2)).toMatchObject([charge]);
    expect(await money()).toMatchObject({ charged: 3, saved: 2.5, damaged: 0 });
  });

  it('may be used in turn, also when the first is gone', async () => {
    await use(aKey(2));
    await ledger.dropResult(aKey(1));
    expect(await onlyResult()).toMatchObject({ ...aKey(2), file: COPY, jobId: 'j1', credits: 3 });
    expect(await use(aKey(3))).toBe(true);
  });

  it('is not used once it is forgotten, or for a row that has ended, is paused, is in flight, or has another holder', async () => {
    const result = useOf(await onlyResult());
    const usedBy = async (at: AttemptKey, more = {}): Promise<boolean> =>
      (await ledger.useResult(at, { ...result, ...more })).used;
    expect(await usedBy(aKey(1))).toBe(false);
    expect(await usedBy(aKey(2), { fence: 7 })).toBe(false);
    await ledger.setControl('b', 'paused');
    expect(await usedBy(aKey(2))).toBe(false);
    await ledger.setControl('b', 'running');
    await send(3, MADE);
    expect(await usedBy(aKey(3, 2))).toBe(false);
    await ledger.dropResult(aKey(1));
    expect(await usedBy(aKey(2))).toBe(false);
    expect(await rowOf(2)).toMatchObject({ outcome: null });
    expect(await chargesOf(2)).toEqual([]);
  });

  it('leaves the row to a new take, which a person may ask for', async () => {
    await use(aKey(2));
    await redrive(2);
    await send(aKey(2, 1, 2), MADE);
  });

  it('that was damaged is counted with the request made in its stead', async () => {
    const { batch, row, step, take, attempt, jobId, madeAt, credits } = await onlyResult();
    await ledger.dropResult(aKey(1));
    const from = { batch, row, step, take, attempt };
    await send(2, { ...KEYED, source: { is: 'altered', from, jobId, madeAt, credits } });
    expect(await money()).toMatchObject({ saved: 0, damaged: 1 });
  });
});

describe('an earlier result of a step of a chain', () => {
  const at = (row: number, attempt = 1): AttemptKey => ({ ...aKey(row, attempt), batch: 'dubs' });
  const lip = (row: number): AttemptKey => ({ ...aKey(row, 1, 1, 'lip-sync'), batch: 'dubs' });
  beforeEach(async () => {
    await load([aDub(1), aDub(2), aDub(3)], { name: 'dubs' });
    await accept(at(1), {}, KEYED);
    await finish(at(1), { file: FILE }, WAITING);
    await use(at(2));
  });

  it('leads to the next step', async () => {
    expect(await rowOf(2, 'dubs')).toMatchObject({ outcome: null, state: 'waiting' });
    await send(lip(2));
  });

  it('is revoked where the next step cannot use it; then its request is made', async () => {
    expect(await ledger.revokeCached(at(2))).toMatchObject({ charges: [{ state: 'revoked', file: null }] });
    expect(await money('dubs')).toMatchObject({ saved: 0 });
    await send(at(2, 2), MADE);
  });

  it('is not revoked once the row has ended', async () => {
    await ledger.giveUp(lip(2), { outcome: 'failed', failure: GONE });
    expect(await ledger.revokeCached(at(2))).toMatchObject({ charges: [{ state: 'cached' }] });
  });

  it('of the last step ends the row, whether the earlier ones were made or not', async () => {
    await make(lip(1), { resultKey: 'video' });
    const video = useOf(await onlyResult('video'));
    expect(await ledger.useResult(lip(2), video)).toMatchObject({ used: true, row: { outcome: 'cached' } });
    await accept(at(3));
    expect(await ledger.useResult(lip(3), video)).toMatchObject({ used: false, row: { outcome: null } });
  });
});

describe('of the takes of a row, a later row is given', () => {
  const fileOf = (take: number): ResultFile => ({ ...FILE, key: `b/1-${String(take)}.mp3` });
  const offered = async (): Promise<readonly number[]> => (await ledger.findResults([KEY])).map(({ take }) => take);

  beforeEach(async () => {
    for (const take of [1, 2]) {
      if (take === 2) await redrive(1);
      await accept(aKey(1, 1, take), {}, MADE);
      await finish(aKey(1, 1, take), { file: fileOf(take) });
    }
  });

  it('the newest, until a person goes back: then that one, and never the one that was left', async () => {
    expect(await offered()).toEqual([2, 1]);
    await redrive(1, backTo(1));
    expect(await offered()).toEqual([1]);
    expect((await ledger.findReusable(aKey(2), KEY, [])).results).toMatchObject([{ take: 1 }]);
    await redrive(1, backTo(2));
    expect(await offered()).toEqual([2, 1]);
    await redrive(1, backTo(1));
    await ledger.dropResult(aKey(1));
    expect([await offered(), await ledger.keysWithResult([KEY])]).toEqual([[], []]);
  });

  it('the one that a person went back to, although another row had copied the one that was left', async () => {
    expect(await use(aKey(2))).toBe(true);
    await redrive(1, backTo(1));
    expect(await onlyResult()).toMatchObject({ row: 1, take: 1, file: fileOf(1) });
  });
});

describe('a copy whose file is lost, while the job of its result is read for it: free, also under a budget,', () => {
  /** Row 2 of a batch with this budget has a copy of what another batch has made. */
  async function copy(budget: number | null): Promise<void> {
    await load(1, { name: 'first' });
    await make({ ...aKey(1), batch: 'first' });
    await ledger.tune('b', { budget });
    expect(await use(aKey(2))).toBe(true);
  }

  async function loseCopy(): Promise<void> {
    await redrive(2, WAIT, { lost: GONE });
    expect(await chargesOf(2)).toMatchObject([{ state: 'accepted', jobId: 'first-j1', charged: 0 }]);
    await kept();
  }

  it('takes no room from a budget, neither of the first request nor of the last', async () => {
    await copy(5);
    await loseCopy();
    for (const row of [1, 3]) await send(row);
    await finish(2, { file: COPY, credits: 3 });
    expect(await rowOf(2)).toMatchObject({ outcome: 'cached', file: COPY });
    const { ratios, beyondLost } = await ledger.chargeOutlook('b');
    expect(ratios.filter(({ worst, told, ended }) => worst + told + ended > 0)).toEqual([]);
    expect(beyondLost).toBe(0);
    await kept();
  });

  it('lets the batch have a budget meanwhile, and begins no ratio for that', async () => {
    await copy(null);
    await loseCopy();
    await ledger.tune('b', { budget: 100 });
    expect((await ledger.chargeOutlook('b')).ratios).toEqual([]);
  });

  it('takes no room either because a person goes back to it', async () => {
    await copy(null);
    await redrive(2);
    await accept(aKey(2, 1, 2));
    await finish(aKey(2, 1, 2), { file: FILE });
    await redrive(2, backTo(1, { isLost: true }));
    await ledger.tune('b', { budget: 6 });
    await send(3);
  });

  it('is overdue as before if a new take of it does not fit, and can still be fetched', async () => {
    await copy(1);
    await loseCopy();
    await giveUpWaiting(2);
    await redrive(2, RESUBMIT);
    expect(await chargesOf(2)).toMatchObject([{ state: 'cached', jobId: null, file: null }]);
    expect(await ask(aKey(2, 1, 2))).toBe('over-budget');
    expect(await rowOf(2)).toMatchObject({ outcome: 'overdue', take: 1 });
    expect(await chargesOf(2)).toMatchObject([{ state: 'accepted', file: COPY, finishedAt: null }]);
    await kept();
    await redrive(2, WAIT);
    await finish(2, { file: COPY });
    expect(await rowOf(2)).toMatchObject({ outcome: 'cached', file: COPY });
  });
});
