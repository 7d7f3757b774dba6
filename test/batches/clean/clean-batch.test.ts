import { link, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { areRowsCleaned } from '../../../batches/clean/cleaned-rows.ts';
import { cleanBatch, type CleanEnd, type CleanRequest } from '../../../batches/clean/clean-batch.ts';
import type { Outcome } from '../../../contract/outcomes.ts';
import type { ResultFile } from '../../../ledger/records.ts';
import { LedgerMisuse } from '../../../ledger/errors.ts';
import { writeOutFolder } from '../../../results/write-out-folder.ts';
import { openFolderBytes } from '../../../store/folder-bytes.ts';
import { openMediaStore } from '../../../store/media-store.ts';
import { stemOf } from '../../../store/layout.ts';
import type { Store } from '../../../store/store.ts';
import { addBatch, finish, intend, keyOf } from '../../results/sample-batch.ts';
import { freshPlace } from '../../support/place.ts';
import { expectKept } from '../../ledger/recount.ts';
import { ANN } from '../../support/ann.ts';

const place = freshPlace();
const MEDIA = { media: true, rows: false };
const ROWS = { media: false, rows: true };
const ALL = { media: true, rows: true };

let store: Store;
afterEach(() => store.close());

/** Three rows that succeeded, the third with an earlier take that nobody knows anything of. */
beforeEach(async () => {
  store = openMediaStore(openFolderBytes(place.store.folder));
  await addBatch(
    place,
    ['id', 'text'],
    ['a', 'b', 'c'].map((id) => ({ id, kind: 'tts' as const, input: [id, `text of ${id}`] })),
  );
  await finish(place, keyOf(1), await put(1, 'sound of a'), 4);
  await finish(place, keyOf(2), await put(2, 'sound of b'), 5);
  await intend(place, keyOf(3));
  const lost = { class: 'OutcomeUnknown', message: 'no answer' } as const;
  await place.ledger.settle(keyOf(3), { verdict: 'unknown', failure: lost }, { outcome: 'unknown', failure: lost });
});

async function put(row: number, content: string, take = 1): Promise<ResultFile> {
  const { layout } = await place.batch();
  return place.store.put(`${stemOf(layout, { row, step: 'speech', take })}.mp3`, content);
}

/** Makes take 2 of a row. */
function payAgain(row: number, outcome: Outcome, reason: 'redrive' | 'resubmitted' = 'redrive'): Promise<unknown> {
  return place.ledger.redrive('demo', [{ row, take: 1, outcome, how: { type: 'pay', fromStep: 'speech', reason } }]);
}

/** Pays once more for the third row, and ends the batch. */
async function resubmit(): Promise<void> {
  await payAgain(3, 'unknown', 'resubmitted');
  await finish(place, keyOf(3, 'speech', 1, 2), await put(3, 'sound of c', 2), 6);
  await place.ledger.closeBatch('demo');
}

async function clean(change: Partial<CleanRequest> = {}): Promise<CleanEnd> {
  return cleanBatch({ ledger: place.ledger, store, batch: await place.batch(), parts: MEDIA, by: ANN, ...change });
}

async function isStored(row: number, take = 1): Promise<boolean> {
  const { layout } = await place.batch();
  const path = join(place.store.folder, `${stemOf(layout, { row, step: 'speech', take })}.mp3`);
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** What the bill says: every sum, outcome and charge. */
async function bill(): Promise<unknown> {
  const charges: unknown[] = [];
  for await (const { row, charges: each } of place.ledger.scanRows('demo')) {
    charges.push(row.id, row.outcome, row.take, row.quoted);
    charges.push(...each.map(({ state, jobId, quoted, charged }) => ({ state, jobId, quoted, charged })));
  }
  return { charges, counts: await place.ledger.counts('demo'), money: await place.ledger.money('demo') };
}

describe('clean', () => {
  it('leaves an open batch alone', async () => {
    expect(await clean()).toEqual({ type: 'not-closed' });
    expect(await clean({ isDryRun: true })).toEqual({ type: 'not-closed' });
    expect(await isStored(1)).toBe(true);
  });

  it('removes the media, except of a row in doubt; the bill stays', async () => {
    await resubmit();
    // A result whose record was never made: its worker was killed.
    await put(2, 'left over', 7);
    const before = await bill();
    expect(await clean()).toEqual({ type: 'cleaned', rows: 2, inDoubt: 1, media: { files: 3, bytes: 29, freed: 29 } });
    expect([await isStored(1), await isStored(2), await isStored(2, 7), await isStored(3, 2)]).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(await bill()).toEqual(before);
    await expectKept(place.ledger, 'demo');
    const { cleaned } = await place.batch();
    expect(cleaned).toEqual({ media: expect.any(Number), rows: null, unfinished: null });
    expect(await clean()).toMatchObject({ media: { files: 0, bytes: 0, freed: 0 } });
  });

  it('removes the text of a transcript, also where later rows could have used it', async () => {
    await resubmit();
    await payAgain(1, 'succeeded');
    const key = keyOf(1, 'speech', 1, 2);
    const file = await put(1, 'what was said', 2);
    await place.ledger.intend(key, {
      ...{ quoted: 1, quotedRest: 0, owner: 'w', maxSending: 8, resultKey: 'a-key' },
    });
    const ending = { outcome: 'succeeded', file, text: 'What was said.' } as const;
    await place.ledger.settle(key, { verdict: 'done', file }, ending);
    await place.ledger.closeBatch('demo');
    expect(await place.ledger.findResults(['a-key'])).toMatchObject([{ text: 'What was said.' }]);
    await clean({ parts: ROWS });
    expect(await place.ledger.findResults(['a-key'])).toEqual([]);
  });

  it('tells what is freed from what has another name, which stays', async () => {
    await resubmit();
    const { layout } = await place.batch();
    const taken = join(place.folder, 'elsewhere', 'a.mp3');
    await mkdir(dirname(taken));
    await link(join(place.store.folder, `${stemOf(layout, { row: 1, step: 'speech', take: 1 })}.mp3`), taken);
    const media = { files: 2, bytes: 20, freed: 10 };
    expect(await clean({ isDryRun: true })).toMatchObject({ media });
    expect(await isStored(1)).toBe(true);
    expect((await place.batch()).cleaned.media).toBeNull();
    expect(await clean()).toMatchObject({ media });
    expect(await readFile(taken, 'utf8')).toBe('sound of a');
  });

  it('is no damage: what the out folder has stays, what it has not is named as removed', async () => {
    await resubmit();
    await writeOutFolder(place.request());
    await clean();
    expect(await writeOutFolder(place.request())).toMatchObject({ mismatches: [], damaged: [] });
    expect(await readFile(join(place.out, 'media', 'a.mp3'), 'utf8')).toBe('sound of a');
    const anew = await writeOutFolder(place.request({ out: join(place.folder, 'anew') }));
    expect(anew.mismatches).toEqual([]);
    expect(anew.damaged).toEqual([
      { row: 1, id: 'a', is: 'removed' },
      { row: 2, id: 'b', is: 'removed' },
    ]);
  });

  it('leaves what rows asked for while one of them is undecided', async () => {
    await place.ledger.closeBatch('demo');
    for (const parts of [ROWS, ALL])
      for (const isDryRun of [true, false])
        expect(await clean({ parts, isDryRun })).toEqual({ type: 'undecided', rows: 1 });
    expect((await place.batch()).cleaned.unfinished).toBeNull();
    expect((await place.ledger.readRow('demo', 1))?.row.input).toEqual(['a', 'text of a']);
  });

  it('empties what rows asked for, except of a row in doubt, and keeps the batch from being opened again', async () => {
    await resubmit();
    const before = await bill();
    expect(await clean({ parts: ROWS })).toMatchObject({ type: 'cleaned', rows: 2, inDoubt: 1, media: { files: 0 } });
    expect(await bill()).toEqual(before);
    expect((await place.ledger.readRow('demo', 1))?.row).toMatchObject({
      id: 'a',
      spec: { kind: 'tts', extra: {} },
      input: [],
      text: null,
    });
    expect((await place.ledger.readRow('demo', 3))?.row.input).toEqual(['c', 'text of c']);
    expect(await isStored(1)).toBe(true);
    expect(areRowsCleaned(await place.batch())).toBe(true);
    await expect(payAgain(1, 'succeeded')).rejects.toThrow(LedgerMisuse);
    const { apiUrl, account } = await place.batch();
    expect(await place.ledger.lastRows({ apiUrl, account }, ['a'])).toEqual([]);
  });

  it('lets the batch be run again without its media', async () => {
    await resubmit();
    await clean();
    await payAgain(1, 'succeeded');
    await finish(place, keyOf(1, 'speech', 1, 2), await put(1, 'another a', 2), 4);
    await place.ledger.closeBatch('demo');
    const { mismatches, damaged } = await writeOutFolder(place.request());
    expect({ mismatches, damaged }).toEqual({ mismatches: [], damaged: [{ row: 2, id: 'b', is: 'removed' }] });
  });

  it('can be killed anywhere: meanwhile no row is opened, and the same command finishes it', async () => {
    await resubmit();
    const before = await bill();
    const steps = ['beginClean', 'cleanRows', 'list', 'measure', 'remove', 'endClean'] as const;
    for (const killed of steps) {
      const kill = (): never => {
        throw new Error(`killed at ${killed}`);
      };
      const ledger = { ...place.ledger, ...(killed in place.ledger ? { [killed]: kill } : {}) };
      const shop = { ...store, ...(killed in store ? { [killed]: kill } : {}) };
      await expect(clean({ parts: ALL, ledger, store: shop })).rejects.toThrow('killed');
      const { cleaned } = await place.batch();
      expect(cleaned.unfinished).toEqual(killed === 'beginClean' ? null : ALL);
      if (killed === 'beginClean') continue;
      await expect(payAgain(1, 'succeeded')).rejects.toThrow('being cleaned');
    }
    // Whatever it is asked to remove, what was begun is finished.
    expect(await clean({ parts: MEDIA })).toMatchObject({ type: 'cleaned', rows: 2, inDoubt: 1 });
    expect(await bill()).toEqual(before);
    expect([await isStored(1), await isStored(2), await isStored(3, 2)]).toEqual([false, false, true]);
    expect((await place.batch()).cleaned).toEqual({
      media: expect.any(Number),
      rows: expect.any(Number),
      unfinished: null,
    });
  });
});
