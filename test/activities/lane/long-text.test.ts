import { stat } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { cleanBatch } from '../../../batches/clean/clean-batch.ts';
import { draftRedrive, openRows } from '../../../batches/redrive/redrive.ts';
import type { RedriveDraft } from '../../../batches/redrive/draft.ts';
import { type RedriveSelection, rulesOf, selectedRows } from '../../../batches/redrive/selection.ts';
import { BATCH, tts, PARTS } from '../rows.ts';
import { createWorld, begin, type World } from '../world.ts';
import { ANN } from '../../support/ann.ts';

/** What a lane and a clean make of texts that are longer than the API takes. */

it('a text that the API refuses for its length is not charged, and teaches the limit', async () => {
  const service = { textLimit: 600 };
  const { world, worker } = await begin([tts('A long text. '.repeat(60))], { service, shape: 'text.limit=at-most' });
  await worker.work();
  const failure = { class: 'BadRequest', cause: 'the text is too long' };
  expect(await world.row()).toMatchObject({ outcome: 'failed', failure });
  expect(world.charges()).toEqual([]);
  const { realm, ledger } = worker.deps;
  expect(await ledger.textLimits(realm.apiUrl, realm.account)).toMatchObject({ 'speech-job': { most: 600 } });
});

it('a clean removes the files and the texts of parts with their row, and keeps their charges', async () => {
  const world = await createWorld();
  await world.fillInParts(PARTS);
  await world.work();
  const { ledger, store } = (await world.worker()).deps;
  expect(await ledger.closeBatch(BATCH)).toBe(0);
  const files = await Promise.all([1, 2, 3, 4].map((row) => world.pathOf(row)));
  const request = { ledger, store, batch: await world.batch(), parts: { media: true, rows: true }, by: ANN };
  expect(await cleanBatch(request)).toMatchObject({ type: 'cleaned', rows: 1, media: { files: 4 } });
  for (const path of files) await expect(stat(path)).rejects.toThrow('ENOENT');
  const parts = await ledger.partsOf(BATCH, 1);
  expect(parts.map(({ row, charges }) => [row.spec.text ?? '', charges.map(({ state }) => state)])).toEqual(
    PARTS.map(() => ['', ['accepted']]),
  );
});

/** Redrives the batch by a wish, and works on it. Returns what was announced. */
async function redrive(world: World, wish: RedriveSelection): Promise<RedriveDraft> {
  const { ledger } = world;
  const wished = await selectedRows(ledger, await world.batch(), wish);
  if (wished.type !== 'found') throw new Error('There is no such row.');
  const draft = await draftRedrive(ledger, await world.batch(), wished.rows, rulesOf(wish));
  await openRows(ledger, BATCH, draft, wished.rows, ANN);
  await world.work();
  return draft;
}

it('who asks for late parts waits for them free, and who asks for failed ones pays the announced price for these alone', async () => {
  const [late = '', failing = ''] = PARTS;
  const world = await createWorld({
    rules: [
      { on: 'create', match: { text: late }, fault: 'job-stuck' },
      { on: 'create', match: { text: failing }, fault: 'job-fails', times: 1 },
    ],
  });
  await world.fillInParts([late, failing], { jobDeadlineMs: 1_000 });
  await world.work();
  expect(await world.outcomes()).toEqual(['overdue']);
  expect(world.charges()).toHaveLength(2);
  expect(await redrive(world, { outcomes: ['overdue'] })).toMatchObject({ waits: 1, paying: 0, parts: 1 });
  expect(world.charges()).toHaveLength(2);
  const { bill } = await redrive(world, { outcomes: ['failed'] });
  expect(world.charges().map(({ credits }) => credits)).toEqual([expect.any(Number), expect.any(Number), bill.quoted]);
  expect([(await world.row(2)).outcome, (await world.row(3)).outcome]).toEqual(['overdue', 'succeeded']);
});
