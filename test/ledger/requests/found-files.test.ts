import { expect, it } from '@jest/globals';
import type { DatedResultFile } from '../../../contract/named-result-file.ts';
import { PROCESS_ENDED } from '../../../policy/reconcile/process-end.ts';
import { CopyInDoubt, LedgerMisuse } from '../../../ledger/errors.ts';
import type { NotedFiles } from '../../../ledger/requests/found-files.ts';
import { ANN } from '../../support/ann.ts';
import { accept, answer, ask, finish, lose, send, succeed, UNKNOWN } from '../actions.ts';
import { chargesOf, money, rowOf } from '../readings.ts';
import { aKey, ledger, ledgerForEachTest, load } from '../setup.ts';

/** Results in the store whose requests a restored ledger does not have on record. */

ledgerForEachTest(() => load(6));

const FROM = 1_000;
const WRITTEN = Date.UTC(2026, 10, 27);

function fileOf(row: number, step = 'speech', take = 1): DatedResultFile {
  return { key: `b/${row}-${step}-${take}-job-0123456789ab.mp3`, row, step, take, writtenAt: WRITTEN };
}

function note(files: readonly DatedResultFile[]): Promise<NotedFiles> {
  return ledger.noteFoundFiles('b', files, { from: FROM, by: ANN });
}

it('a row whose result is in the store is not sent again once the batch is resumed, also where its request was on the wire', async () => {
  await accept(1);
  await finish(1);
  await send(2);
  await lose(3, PROCESS_ENDED);
  await lose(6);
  await ledger.acceptCopy(ANN);
  const files = [1, 2, 3, 4, 6].map((row) => fileOf(row));
  const lacking = await ledger.filesWithoutAnswer('b', files);
  // Why there was no answer to the last one is known: that file may be of another job.
  expect(lacking.map(({ row }) => row)).toEqual([2, 3, 4]);
  expect(await note(files)).toEqual({ rows: [2, 3, 4], unplaced: [] });
  for (const row of [2, 3, 4]) {
    const failure = { class: 'OutcomeUnknown', storedAs: fileOf(row).key };
    expect(await rowOf(row)).toMatchObject({ outcome: 'unknown', failure });
    expect(await chargesOf(row)).toMatchObject([{ state: 'unknown', failure }]);
  }
  expect(await chargesOf(4)).toMatchObject([{ intentAt: FROM, owner: '', quoted: 3 }]);
  expect(await money()).toMatchObject({ uncertain: 10.5, reserved: 0 });
  expect(await ledger.filesWithoutAnswer('b', files)).toEqual([]);
  expect(await note(files)).toEqual({ rows: [], unplaced: [] });

  await ledger.clearDoubts(ANN);
  await ledger.setControl('b', 'running', undefined, ANN);
  const lane = await ledger.acquireLane({ batch: 'b', lane: 1, run: 'r', owner: 'w2' });
  expect(await ledger.claimRows({ ...lane, limit: 9 })).toMatchObject({ rows: [{ row: { row: 5 } }] });
  expect(await ask(4)).toBe('exists');
  const compared = await ledger.actionsOf({ batch: 'b', kinds: ['compare-store'] });
  expect(compared.map(({ rows, actor }) => [rows, actor])).toEqual([
    [[[2, 4]], ANN.actor],
    [[], ANN.actor],
  ]);
});

it('a take that was to replace such a request is undone, and where it was sent, a person must see it', async () => {
  for (const row of [1, 2]) {
    await lose(row, PROCESS_ENDED, { retake: 'speech', reason: 'on-unknown', most: 1, otherwise: UNKNOWN });
    expect(await rowOf(row)).toMatchObject({ take: 2, outcome: null });
  }
  await accept({ ...aKey(2), take: 2 });
  await ledger.acceptCopy(ANN);
  await ledger.clearDoubts(ANN);
  expect(await note([fileOf(1), fileOf(2)])).toEqual({ rows: [1], unplaced: [fileOf(2).key] });
  expect(await rowOf(1)).toMatchObject({ take: 1, outcome: 'unknown', failure: { storedAs: fileOf(1).key } });
  expect(await rowOf(2)).toMatchObject({ take: 2, outcome: null });
  await expect(ledger.setControl('b', 'running', undefined, ANN)).rejects.toThrow(CopyInDoubt);
});

it('a worker that still runs has the last word about such a row', async () => {
  await ledger.acceptCopy(ANN);
  await note([fileOf(1)]);
  expect(await answer(1)).toBe(true);
  expect(await rowOf(1)).toMatchObject({ state: 'processing', outcome: null });
  expect(await chargesOf(1)).toMatchObject([{ state: 'accepted', jobId: 'j1', failure: null }]);
});

it('a row that was never sent, as far as the ledger knew, is in doubt too', async () => {
  await ledger.giveUp(aKey(1), { outcome: 'skipped' });
  await ledger.acceptCopy(ANN);
  expect(await note([fileOf(1)])).toEqual({ rows: [1], unplaced: [] });
  expect(await rowOf(1)).toMatchObject({ outcome: 'unknown' });
});

it('a file of a take or row that the ledger does not know forbids to resume its batch until a person has seen it', async () => {
  await ledger.acceptCopy(ANN);
  await ledger.clearDoubts(ANN);
  expect(await note([fileOf(1, 'speech', 2), fileOf(77), fileOf(2, 'joined')])).toEqual({
    rows: [],
    unplaced: [fileOf(1, 'speech', 2).key, fileOf(77).key],
  });
  await expect(ledger.setControl('b', 'running', undefined, ANN)).rejects.toThrow(CopyInDoubt);
  expect((await ledger.clearDoubts(ANN)).unplaced).toMatchObject([
    { key: { row: 1, take: 2 }, at: WRITTEN, jobId: null },
    { key: { row: 77 } },
  ]);
  expect(await ledger.setControl('b', 'running', undefined, ANN)).toBe('running');
});

it('a request is named as one without a place only as long as none of its take has an answer', async () => {
  await succeed(1);
  await succeed(2);
  await ledger.acceptCopy(ANN);
  await note([fileOf(1, 'speech', 2), fileOf(2, 'speech', 2)]);
  const begun = { type: 'adopted', isUnsent: true, after: 'succeeded', jobId: 'j1-2' } as const;
  expect(await ledger.decide({ ...aKey(1), take: 2 }, begun, ANN)).toBe(true);
  expect((await ledger.clearDoubts(ANN)).unplaced).toMatchObject([{ key: { row: 2, take: 2 } }]);
  expect((await ledger.clearDoubts(ANN)).unplaced).toEqual([]);
});

it('once somebody has resumed the batch, a result may be there before its answer is on record: nothing is concluded', async () => {
  await ledger.acceptCopy(ANN);
  expect(await ledger.heldBatches()).toMatchObject([{ batch: 'b' }]);
  await ledger.clearDoubts(ANN);
  await ledger.setControl('b', 'running', undefined, ANN);
  expect(await ledger.heldBatches()).toEqual([]);
  await expect(note([fileOf(1)])).rejects.toThrow(LedgerMisuse);
  expect(await chargesOf(1)).toEqual([]);
});

it('what the copy lacks was sent after its last request of the batch', async () => {
  await send(1);
  const [charge] = await chargesOf(1);
  await ledger.acceptCopy(ANN);
  expect(await ledger.heldBatches()).toEqual([{ batch: 'b', from: charge?.intentAt }]);
});

function nameFile(file: DatedResultFile): Promise<void> {
  return ledger.noteNamedFiles('b', { named: file.key, files: [file] }, ANN);
}

it('a stored result that a person names is one of a row that lacks its request; one on the wire gets its own answer, and no retake follows a take begun so', async () => {
  await accept(1);
  await finish(1);
  await send(2);
  await expect(nameFile(fileOf(2))).rejects.toThrow(LedgerMisuse);
  expect(await chargesOf(2)).toMatchObject([{ state: 'sending' }]);
  await expect(nameFile(fileOf(3, 'speech', 2))).rejects.toThrow(LedgerMisuse);
  for (const [row, take] of [
    [1, 2],
    [4, 1],
  ] as const) {
    const file = fileOf(row, 'speech', take);
    for (let times = 0; times < 2; times++) await nameFile(file);
    expect(await rowOf(row)).toMatchObject({ take, outcome: 'unknown', failure: { storedAs: file.key } });
    expect((await chargesOf(row)).at(-1)).toMatchObject({ take, state: 'unknown' });
  }
  expect((await rowOf(1)).autoTakes).toBeGreaterThan(10);
  // What this ledger sent is not settled by what another request made.
  await lose(5);
  await nameFile(fileOf(5));
  const [sent] = await chargesOf(5);
  expect([sent?.state, sent?.failure?.storedAs]).toEqual(['unknown', undefined]);
});
