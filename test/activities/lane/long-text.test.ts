import { stat } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { cleanBatch } from '../../../batches/clean/clean-batch.ts';
import { draftRedrive, openRows } from '../../../batches/redrive/redrive.ts';
import type { RedriveDraft } from '../../../batches/redrive/draft.ts';
import { type RedriveSelection, rulesOf, selectedRows } from '../../../batches/redrive/selection.ts';
import type { LoadedAttempt } from '../../../activities/attempt.ts';
import { learnTextLimit } from '../../../activities/parts/learn-text-limit.ts';
import { workOn } from '../cached.ts';
import { BATCH, settingsOf, tts, type Wanted } from '../rows.ts';
import type { Worker } from '../worker.ts';
import { createWorld, type World } from '../world.ts';

/** What a lane and a clean make of texts that are longer than the API takes. */

const LIMIT = 600;
const TEXTS = ['One is here.', 'Two is a little longer than that.'];

async function addBatch(world: World, texts: readonly string[], wanted: Wanted = {}): Promise<void> {
  const ledger = await world.look();
  const { url: apiUrl } = world.simulator;
  await ledger.createBatch({
    ...{ name: BATCH, digest: 'd', apiUrl, account: 'u1', settings: settingsOf(wanted), columns: ['id'], source: 's' },
  });
  const parts =
    texts.length > 1 ? { first: 2, rows: texts.map((text) => ({ spec: tts(text), quoted: 1 })) } : undefined;
  const row = { row: 1, id: 'r1', line: 2, spec: tts(texts.join(' ')), input: ['r1'], quoted: 1 };
  await ledger.addRows(BATCH, [{ ...row, ...(parts && { parts }) }]);
  await ledger.openBatch(BATCH, 1);
}

it('a text that the API refuses for its length is not charged, and teaches the limit', async () => {
  const world = await createWorld({ textLimit: LIMIT, shape: 'text.limit=at-most' });
  await addBatch(world, ['A long text. '.repeat(60)]);
  const worker = await world.worker();
  await workOn(worker, BATCH);
  const row = await world.row(1);
  expect(row).toMatchObject({ outcome: 'failed', failure: { class: 'BadRequest', cause: 'the text is too long' } });
  expect(world.charges()).toEqual([]);
  const { realm } = worker.deps;
  const known = await (await world.look()).textLimits(realm.apiUrl, realm.account);
  expect(known).toMatchObject({ 'speech-job': { most: LIMIT } });
});

it('a text of a kind that is not cut is to be made shorter', async () => {
  const world = await createWorld({ textLimit: LIMIT, shape: 'text.limit=at-most' });
  const worker = await world.worker();
  const refused = { class: 'BadRequest', message: `text must be at most ${String(LIMIT)} characters` } as const;
  const learnt = async (kind: 'tts' | 'dub'): Promise<string> => {
    const spec = { ...tts('A long text. '.repeat(60)), kind };
    const attempt = { row: { spec }, operation: 'speech-job', batch: { settings: settingsOf({}) } } as LoadedAttempt;
    return (await learnTextLimit(worker.deps, attempt, refused)).message;
  };
  expect(await learnt('dub')).toContain('Texts of dub rows are not cut: shorten it.');
  expect(await learnt('tts')).toContain('Run the manifest with --split sentences under another --name');
});

it('a clean removes the files and the texts of parts with their row, and keeps their charges', async () => {
  const world = await createWorld();
  await addBatch(world, TEXTS);
  const worker = await world.worker();
  await workOn(worker, BATCH);
  const { ledger, store } = worker.deps;
  expect(await ledger.closeBatch(BATCH)).toBe(0);
  const batch = await ledger.findBatch(BATCH);
  if (batch === undefined) throw new Error('There is no batch.');
  const files = [await world.row(1), await world.row(2), await world.row(3)].map(({ file }) =>
    store.pathOf(file?.key ?? ''),
  );
  expect(await cleanBatch({ ledger, store, batch, parts: { media: true, rows: true } })).toMatchObject({
    type: 'cleaned',
    rows: 1,
    media: { files: 3 },
  });
  for (const path of files) await expect(stat(path ?? '')).rejects.toThrow('ENOENT');
  const parts = await ledger.partsOf(BATCH, 1);
  expect(parts.map(({ row }) => row.spec.text ?? '')).toEqual(['', '']);
  expect(parts.flatMap(({ charges }) => charges.map(({ state }) => state))).toEqual(['accepted', 'accepted']);
});

/** Redrives the batch by a wish, and works on it. Returns what was announced. */
async function redrive(worker: Worker, wish: RedriveSelection): Promise<RedriveDraft> {
  const { ledger } = worker.deps;
  const batch = await ledger.findBatch(BATCH);
  if (batch === undefined) throw new Error('There is no batch.');
  const wished = await selectedRows(ledger, batch, wish);
  if (wished.type !== 'found') throw new Error('There is no such row.');
  const draft = await draftRedrive(ledger, batch, wished.rows, rulesOf(wish));
  await openRows(ledger, BATCH, draft, wished.rows);
  await workOn(worker, BATCH);
  return draft;
}

it('who asks for late parts waits for them free, and who asks for failed ones pays the announced price for these alone', async () => {
  const [late = '', failing = ''] = TEXTS;
  const world = await createWorld({
    plan: {
      rules: [
        { on: 'create', match: { text: late }, fault: 'job-stuck' },
        { on: 'create', match: { text: failing }, fault: 'job-fails', times: 1 },
      ],
    },
  });
  await addBatch(world, TEXTS, { jobDeadlineMs: 1_000 });
  const worker = await world.worker();
  await workOn(worker, BATCH);
  expect(await world.row(1)).toMatchObject({ outcome: 'overdue' });
  expect(world.charges()).toHaveLength(2);
  expect(await redrive(worker, { outcomes: ['overdue'] })).toMatchObject({ waits: 1, paying: 0, parts: 1 });
  expect(world.charges()).toHaveLength(2);
  const { bill } = await redrive(worker, { outcomes: ['failed'] });
  expect(world.charges().map(({ credits }) => credits)).toEqual([expect.any(Number), expect.any(Number), bill.quoted]);
  expect([(await world.row(2)).outcome, (await world.row(3)).outcome]).toEqual(['overdue', 'succeeded']);
});
