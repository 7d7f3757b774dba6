import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AttemptKey } from '../../../contract/batch.ts';
import type { Failure } from '../../../contract/failures.ts';
import type { Kind } from '../../../contract/row-kinds.ts';
import type { Intent } from '../../../ledger/requests/intent-records.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { ResultFile, ResultRecord } from '../../../ledger/record-types.ts';
import type { ResultUse } from '../../../ledger/cache/results.ts';
import { expectKept } from '../recount.ts';
import { aKey, fill, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

const KEY = 'a-key';
const FILE: ResultFile = { key: 'b/1-speech-1.mp3', bytes: 12, sha256: 'ab', extension: 'mp3' };
const COPY: ResultFile = { ...FILE, key: 'b/2-speech-1-cached.mp3' };
const KEYED: Intent = { ...INTENT, resultKey: KEY, reuse: { passOver: [] } };

let ledger: Ledger;
ledgerForEachTest((made) => {
  ledger = made;
});

/** Sends for the key, up to its accepted job. */
async function accept(key: AttemptKey, intent: Intent = KEYED, jobId = `job-${String(key.row)}`): Promise<void> {
  expect(await ledger.intend(key, intent)).toMatchObject({ type: 'go' });
  await ledger.settle(key, { verdict: 'accepted', jobId, credits: 3 }, { state: 'processing' });
}

/** Makes a result: the whole way of a paid row. */
async function make(key: AttemptKey, intent: Intent = KEYED): Promise<void> {
  await accept(key, intent);
  await ledger.finishJob(key, { file: FILE }, { outcome: 'succeeded', file: FILE });
}

async function onlyResult(): Promise<ResultRecord> {
  const [result] = await ledger.findResults([KEY]);
  if (result === undefined) throw new Error('there is no result');
  return result;
}

function useOf(result: ResultRecord, more: Partial<ResultUse> = {}): ResultUse {
  return { result, file: COPY, extraFiles: [], saved: 2.5, owner: 'w1', ...more };
}

async function outcomeOf(row: number): Promise<string | null | undefined> {
  return (await ledger.readRow('b', row))?.row.outcome;
}

describe('a result that later rows may use', () => {
  beforeEach(() => fill(ledger, 3));

  it('is kept when its job has ended well', async () => {
    await make(aKey(1));
    expect(await ledger.findResults(['other', KEY])).toEqual([
      expect.objectContaining({ ...aKey(1), key: KEY, file: FILE, jobId: 'job-1', credits: 3, bytes: 12, text: null }),
    ]);
  });

  it('is kept with its text and subtitles when the answer was the result', async () => {
    const srt = { ...FILE, key: 'b/1.srt', bytes: 5, extension: 'srt' };
    await ledger.intend(aKey(1), KEYED);
    const ending = { outcome: 'succeeded', file: FILE, extraFiles: [srt], text: 'Hello' } as const;
    await ledger.settle(aKey(1), { verdict: 'done', file: FILE, credits: 1 }, ending);
    expect(await onlyResult()).toMatchObject({ text: 'Hello', extraFiles: [srt], bytes: 17, jobId: null });
  });

  it('is none of a request without a key, of a failed job, of an unfit result, of a lost answer', async () => {
    await make(aKey(1), INTENT);
    await accept(aKey(2));
    const failure: Failure = { class: 'Unfit', message: 'silent' };
    await ledger.finishJob(aKey(2), { file: FILE, failure }, { outcome: 'unfit', failure, file: FILE });
    await ledger.intend(aKey(3), KEYED);
    await ledger.settle(aKey(3), { verdict: 'unknown', failure }, { outcome: 'unknown', failure });
    expect(await ledger.findResults([KEY])).toEqual([]);
  });

  it('is none of a job that a person named: nothing proves that it is the right one', async () => {
    const failure: Failure = { class: 'OutcomeUnknown', message: 'lost' };
    await ledger.intend(aKey(1), KEYED);
    await ledger.settle(aKey(1), { verdict: 'unknown', failure }, { outcome: 'unknown', failure });
    await ledger.decide(aKey(1), { type: 'adopted', jobId: 'j', who: 'me' });
    await ledger.finishJob(aKey(1), { file: FILE }, { outcome: 'succeeded', file: FILE });
    expect(await ledger.findResults([KEY])).toEqual([]);
  });

  it('is the newest first, and at most three of a key', async () => {
    await fill(ledger, 5, 'many');
    for (const row of [1, 2, 3, 4, 5]) await make({ ...aKey(row), batch: 'many' }, { ...INTENT, resultKey: KEY });
    const found = await ledger.findResults([KEY]);
    expect(found).toHaveLength(3);
    expect(found.map(({ madeAt }) => madeAt)).toEqual(found.map(({ madeAt }) => madeAt).toSorted((a, b) => b - a));
  });

  it('is forgotten when its file is gone, but its row keeps it', async () => {
    await make(aKey(1));
    await ledger.dropResult(aKey(1));
    expect(await ledger.findResults([KEY])).toEqual([]);
    expect(await outcomeOf(1)).toBe('succeeded');
  });

  it('is found by its key among many, page by page of those that were not used since', async () => {
    await fill(ledger, 5, 'many');
    for (let row = 1; row <= 5; row++)
      await make({ ...aKey(row), batch: 'many' }, { ...INTENT, resultKey: `key-${row}` });
    await make(aKey(1));
    expect((await ledger.keysWithResult(['key-2', 'key-9', KEY])).toSorted()).toEqual([KEY, 'key-2']);
    const now = Date.now();
    const first = await ledger.resultsUnused(now, '', 4);
    const rest = await ledger.resultsUnused(now, first.at(-1)?.[0]?.key ?? '', 4);
    expect([...first, ...rest].flat().map(({ key }) => key)).toEqual([KEY, ...[1, 2, 3, 4, 5].map((n) => `key-${n}`)]);
    expect(await ledger.resultsUnused(now - 60_000, '', 4)).toEqual([]);
    await ledger.pruneResults([aKey(1)]);
    expect(await ledger.keysWithResult([KEY])).toEqual([]);
    expect((await ledger.readRow('b', 1))?.row.file).toMatchObject({ ...FILE, removedAt: expect.any(Number) });
  });
});

describe('an intent with a key', () => {
  beforeEach(() => fill(ledger, 3));

  it('is not recorded where a result is there, unless it is to be made in any case', async () => {
    await make(aKey(1));
    expect(await ledger.intend(aKey(2), KEYED)).toMatchObject({ type: 'cached', results: [{ row: 1 }], charges: [] });
    expect(await ledger.intend(aKey(2), { ...INTENT, resultKey: KEY })).toMatchObject({ type: 'go' });
  });

  it.each(['sending', 'accepted', 'unknown'] as const)(
    'waits for another row whose request is %s, but not for one that was passed over',
    async (state) => {
      await ledger.intend(aKey(1), KEYED);
      if (state === 'accepted') await ledger.settle(aKey(1), { verdict: state, jobId: 'j' }, { state: 'processing' });
      if (state === 'unknown') await ledger.settle(aKey(1), { verdict: state }, { state: 'submitting' });
      expect(await ledger.intend(aKey(2), KEYED)).toMatchObject({
        type: 'awaited',
        by: { ...aKey(1), isAttended: false },
        charges: [],
      });
      expect(await ledger.intend(aKey(2), { ...KEYED, reuse: { passOver: [aKey(1)] } })).toMatchObject({ type: 'go' });
    },
  );

  it('says whether anybody works on what it waits for', async () => {
    await ledger.intend(aKey(1), KEYED);
    await ledger.acquireLane({ batch: 'b', lane: 1, run: 'run', owner: 'w9' });
    await ledger.beat({ owner: 'w9', apiUrl: 'x', account: 'y' });
    expect(await ledger.intend(aKey(2), KEYED)).toMatchObject({ type: 'awaited', by: { isAttended: true } });
    await ledger.forgetWorkers('all');
    expect(await ledger.intend(aKey(2), KEYED)).toMatchObject({ type: 'awaited', by: { isAttended: false } });
  });

  it('does not count on a worker that lives, but works on its batch no more', async () => {
    await accept(aKey(1));
    await ledger.beat({ owner: INTENT.owner, apiUrl: 'x', account: 'y' });
    const lane = await ledger.acquireLane({ batch: 'b', lane: 1, run: 'run', owner: INTENT.owner });
    expect(await ledger.intend(aKey(2), KEYED)).toMatchObject({ type: 'awaited', by: { isAttended: true } });
    await ledger.releaseLane(lane);
    expect(await ledger.intend(aKey(2), KEYED)).toMatchObject({ type: 'awaited', by: { isAttended: false } });
  });

  it('counts on a worker that has the request on the wire', async () => {
    await ledger.intend(aKey(1), KEYED);
    await ledger.beat({ owner: INTENT.owner, apiUrl: 'x', account: 'y' });
    expect(await ledger.intend(aKey(2), KEYED)).toMatchObject({ type: 'awaited', by: { isAttended: true } });
  });

  it('is never recorded once the batch may use nothing but earlier results', async () => {
    await ledger.tune('b', { cache: 'only' });
    for (const intent of [KEYED, INTENT]) {
      expect(await ledger.intend(aKey(1), intent)).toMatchObject({ type: 'cached', results: [], charges: [] });
    }
  });

  it('waits for nobody whose row has ended, failed or is at another take', async () => {
    const failure: Failure = { class: 'JobFailed', message: 'no' };
    await accept(aKey(1));
    await ledger.changeRunning(aKey(1), { outcome: 'overdue', failure });
    expect(await ledger.intend(aKey(2), KEYED)).toMatchObject({ type: 'go' });
    await ledger.settle(aKey(2), { verdict: 'rejected', failure }, { outcome: 'failed', failure });
    expect(await ledger.intend(aKey(3), KEYED)).toMatchObject({ type: 'go' });
  });
});

describe('an earlier result in place of a request', () => {
  beforeEach(async () => {
    await fill(ledger, 3);
    await make(aKey(1));
  });

  it('ends its row cached, costs nothing, and says where it came from', async () => {
    const { used, row, charges } = await ledger.useResult(aKey(2), useOf(await onlyResult()));
    expect({ used, outcome: row.outcome, file: row.file }).toEqual({ used: true, outcome: 'cached', file: COPY });
    expect(charges).toMatchObject([{ state: 'cached', charged: null, jobId: null, resultKey: KEY, file: COPY }]);
    expect(charges[0]?.source).toMatchObject({ is: 'used', from: aKey(1), jobId: 'job-1', credits: 3 });
    expect(await ledger.money('b')).toMatchObject({ charged: 3, saved: 2.5, damaged: 0 });
    await expectKept(ledger, 'b');
  });

  it('may be used in turn, also when the first is gone', async () => {
    await ledger.useResult(aKey(2), useOf(await onlyResult()));
    await ledger.dropResult(aKey(1));
    const copy = await onlyResult();
    expect(copy).toMatchObject({ ...aKey(2), file: COPY, jobId: 'job-1', credits: 3 });
    expect(await ledger.useResult(aKey(3), useOf(copy))).toMatchObject({ used: true });
  });

  it('is not used once it is forgotten, or for a row that has ended, is paused, or has another holder', async () => {
    const result = await onlyResult();
    expect(await ledger.useResult(aKey(1), useOf(result))).toMatchObject({ used: false });
    expect(await ledger.useResult(aKey(2), useOf(result, { fence: 7 }))).toMatchObject({ used: false, charges: [] });
    await ledger.setControl('b', 'paused');
    expect(await ledger.useResult(aKey(2), useOf(result))).toMatchObject({ used: false });
    await ledger.setControl('b', 'running');
    await ledger.dropResult(aKey(1));
    expect(await ledger.useResult(aKey(2), useOf(result))).toMatchObject({ used: false, charges: [] });
    expect(await outcomeOf(2)).toBeNull();
  });

  it('is not used while a request of the row is in flight', async () => {
    const result = await onlyResult();
    await ledger.intend(aKey(2), { ...INTENT, resultKey: KEY });
    expect(await ledger.useResult(aKey(2, 2), useOf(result))).toMatchObject({ used: false });
  });

  it('leaves the row to a new take, which a person may ask for', async () => {
    await ledger.useResult(aKey(2), useOf(await onlyResult()));
    await redriveNow(ledger, 'b', [{ row: 2, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
    expect(await ledger.intend(aKey(2, 1, 2), { ...INTENT, resultKey: KEY })).toMatchObject({ type: 'go' });
    await expectKept(ledger, 'b');
  });

  it('that was damaged is counted with the request made in its stead', async () => {
    const { batch, row, step, take, attempt, jobId, madeAt, credits } = await onlyResult();
    await ledger.dropResult(aKey(1));
    const from = { batch, row, step, take, attempt };
    await ledger.intend(aKey(2), { ...KEYED, source: { is: 'altered', from, jobId, madeAt, credits } });
    expect(await ledger.money('b')).toMatchObject({ saved: 0, damaged: 1 });
    await expectKept(ledger, 'b');
  });
});

describe('an earlier result of a step of a chain', () => {
  const dub: Kind = 'dub';
  const lip = (row: number): AttemptKey => aKey(row, 1, 1, 'lip-sync');
  beforeEach(async () => {
    await fill(ledger, 3, 'b', dub);
    await accept(aKey(1));
    await ledger.finishJob(aKey(1), { file: FILE }, { state: 'waiting' });
  });

  it('leads to the next step', async () => {
    const { row } = await ledger.useResult(aKey(2), useOf(await onlyResult()));
    expect(row).toMatchObject({ outcome: null, state: 'waiting' });
    expect(await ledger.intend(lip(2), INTENT)).toMatchObject({ type: 'go' });
  });

  it('is revoked where the next step cannot use it; then its request is made', async () => {
    await ledger.useResult(aKey(2), useOf(await onlyResult()));
    expect(await ledger.revokeCached(aKey(2))).toMatchObject({ charges: [{ state: 'revoked', file: null }] });
    expect(await ledger.money('b')).toMatchObject({ saved: 0 });
    expect(await ledger.intend(aKey(2, 2), { ...INTENT, resultKey: KEY })).toMatchObject({ type: 'go' });
    await expectKept(ledger, 'b');
  });

  it('is not revoked once the row has ended', async () => {
    await ledger.useResult(aKey(2), useOf(await onlyResult()));
    await ledger.giveUp(lip(2), { outcome: 'failed', failure: { class: 'ResultGone', message: 'gone' } });
    expect(await ledger.revokeCached(aKey(2))).toMatchObject({ charges: [{ state: 'cached' }] });
  });

  it('of the last step ends the row, whether the earlier ones were made or not', async () => {
    const video: Intent = { ...INTENT, resultKey: 'video' };
    await accept(lip(1), video, 'job-lip');
    await ledger.finishJob(lip(1), { file: FILE }, { outcome: 'succeeded', file: FILE });
    const [result] = await ledger.findResults(['video']);
    if (result === undefined) throw new Error('there is no video');
    expect(await ledger.useResult(lip(2), useOf(result))).toMatchObject({ used: true, row: { outcome: 'cached' } });
    await accept(aKey(3), INTENT);
    expect(await ledger.useResult(lip(3), useOf(result))).toMatchObject({ used: false, row: { outcome: null } });
    await expectKept(ledger, 'b');
  });
});
