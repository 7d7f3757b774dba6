import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { storedContent } from '../../batches/redrive/find-loss.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ResultFile } from '../../ledger/record-types.ts';
import { refusalLines } from '../../starters/redrive/refusal-words.ts';
import { draftLines } from '../../starters/redrive/redrive-words.ts';
import { workOn } from './cached.ts';
import { damage, draftOf, redrive } from './redriven.ts';
import { BATCH, stt, tts } from './rows.ts';
import { createWorld, type World } from './world.ts';

/** `redrive --accept ROW/TAKE` where the files of that take are lost: what was paid for is fetched again, free. */

const BACK = { accept: true, rows: ['1/1'] };

let world: World;
let folder: string;

beforeEach(async () => {
  world = await createWorld();
  folder = join(world.folder, 'store');
});

/** Row 1 gets takes 1 and 2, and the file of take 1 is lost. Returns that file. */
async function loseFirst(spec: RowSpec): Promise<ResultFile> {
  await world.fill([spec]);
  await workOn(await world.worker(), BATCH);
  const { file } = await world.row(1);
  if (file === null) throw new Error('Take 1 has no file.');
  await redrive(world);
  await rm(join(folder, file.key));
  return file;
}

describe('speech', () => {
  it('is fetched again, and the row goes back to it', async () => {
    const first = await loseFirst(tts());
    const { draft } = await draftOf(world, BACK);
    expect(draftLines(draft, BATCH)).toEqual([
      `Redrive of batch "${BATCH}", at a cost of nothing`,
      '  1 row back to the result of an earlier take, free',
      '  1 of these has to fetch that file first: its job is read, and the row keeps what it has until then',
    ]);
    expect(draft.isSettling).toBe(false);
    expect(await redrive(world, BACK)).toEqual({ paying: 0, waits: 0 });
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', take: 2, returnedTo: 1, file: first });
    expect(await storedContent(folder, first)).toBe(first.sha256);
    expect(world.charges()).toHaveLength(2);
    const ledger = await world.look();
    expect(await ledger.decisionsOf(BATCH, 1)).toMatchObject([{ what: 'went-back', take: 1 }]);
    expect(await redrive(world, { accept: true, rows: ['1/2'] })).toEqual({ paying: 0, waits: 0 });
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', returnedTo: null });
    expect(world.charges()).toHaveLength(2);
  });

  it('of a job that the API has forgotten leaves the row what it has', async () => {
    const first = await loseFirst(tts());
    const before = await world.row(1);
    await world.change('plan', { rules: [{ on: 'read', fault: { kind: 'status', status: 404 } }] });
    await redrive(world, BACK);
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', returnedTo: null, file: before.file });
    expect((await (await world.look()).decisionsOf(BATCH, 1)).length).toBe(0);
    // Nothing of it is left that a redrive of the row would wait for.
    expect((await draftOf(world)).draft).toMatchObject({ waits: 0, replaced: 1, paying: 1 });
    await world.change('plan', { rules: [] });
    await redrive(world, BACK);
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', returnedTo: 1, file: first });
    expect(world.charges()).toHaveLength(2);
  });

  it('with other content stays beside what the row has, and is taken by the same command again', async () => {
    const first = await loseFirst(tts());
    const before = await world.row(1);
    const ledger = await world.look();
    const earlier = { take: 1, who: 'ann@home', isLost: true };
    await ledger.redrive(BATCH, [{ row: 1, take: 2, outcome: 'succeeded', how: { type: 'accept', earlier } }]);
    expect(await world.row(1)).toMatchObject({ outcome: null, file: null });
    const file = { ...first, sha256: 'b'.repeat(64) };
    const key = { batch: BATCH, row: 1, step: 'speech', take: 1, attempt: 1 } as const;
    await ledger.finishJob(key, { file }, { outcome: 'succeeded', file });
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', returnedTo: null, file: before.file });
    const other = { ...earlier, isLost: false };
    await ledger.redrive(BATCH, [{ row: 1, take: 2, outcome: 'succeeded', how: { type: 'accept', earlier: other } }]);
    const oddity = expect.stringContaining('its job gave another file');
    expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', returnedTo: 1, file: { ...file, oddity } });
  });

  it('that was never fetched is fetched once a person asks for it, and the row keeps what it has until then', async () => {
    await world.fill([tts()]);
    await workOn(await world.worker(), BATCH);
    const before = await world.row(1);
    await world.change('plan', { rules: [{ on: 'read', fault: { kind: 'status', status: 404 } }] });
    await redrive(world);
    const second = { accept: true, rows: ['1/2'] };
    // In vain at first.
    for (let tries = 0; tries < 2; tries++) {
      expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', take: 2, file: before.file });
      expect((await draftOf(world, second)).draft).toMatchObject({ accepts: 1, refetched: 1, isSettling: false });
      if (tries === 0) await redrive(world, second);
    }
    await world.change('plan', { rules: [] });
    expect(await redrive(world, second)).toEqual({ paying: 0, waits: 0 });
    const { file, ...row } = await world.row(1);
    expect(row).toMatchObject({ outcome: 'succeeded', take: 2, returnedTo: null });
    expect(file?.key).not.toBe(before.file?.key);
    expect(await storedContent(folder, file ?? { key: '' })).toBe(file?.sha256);
    expect(world.charges()).toHaveLength(2);
  });

  describe.each([
    [
      'is overdue',
      async (ledger: Ledger) => {
        const failure = { class: 'Overdue', message: 'It still runs.' } as const;
        await ledger.changeRunning(
          { batch: BATCH, row: 1, step: 'speech', take: 1, attempt: 1 },
          { outcome: 'overdue', failure },
        );
      },
    ],
    ['is waited for no longer after a stop', (ledger: Ledger) => ledger.stopNow(BATCH)],
  ])('of a job that %s', (_, end) => {
    it('leaves the row what it has, and is fetched by the same command again', async () => {
      const first = await loseFirst(tts());
      const before = await world.row(1);
      const ledger = await world.look();
      const earlier = { take: 1, who: 'ann@home', isLost: true };
      await ledger.redrive(BATCH, [{ row: 1, take: 2, outcome: 'succeeded', how: { type: 'accept', earlier } }]);
      await end(ledger);
      await ledger.closeBatch(BATCH);
      expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', returnedTo: null, file: before.file });
      // Nothing of it is left that a redrive of the row would wait for.
      expect((await draftOf(world)).draft).toMatchObject({ waits: 0, replaced: 1, paying: 1 });
      await redrive(world, BACK);
      expect(await world.row(1)).toMatchObject({ outcome: 'succeeded', returnedTo: 1, file: first });
      expect(world.charges()).toHaveLength(2);
    });
  });
});

describe('a transcript', () => {
  /** Row 1 gets takes 1 and 2; these files of take 1 are lost. */
  async function loseOfFirst(...extensions: readonly string[]): Promise<readonly ResultFile[]> {
    await world.fill([stt()]);
    await workOn(await world.worker(), BATCH);
    const { file, extraFiles } = await world.row(1);
    const all = file === null ? [] : [file, ...extraFiles];
    await redrive(world);
    for (const one of all) if (extensions.includes(one.extension)) await rm(join(folder, one.key));
    return all;
  }

  it('is whole again if its lost subtitles follow from the others', async () => {
    const files = await loseOfFirst('srt');
    await redrive(world, BACK);
    const { row } = (await (await world.look()).readRow(BATCH, 1)) ?? {};
    expect([row?.file, ...(row?.extraFiles ?? [])]).toEqual(files);
    for (const file of files) expect(await storedContent(folder, file)).toBe(file.sha256);
    expect(world.charges()).toHaveLength(2);
  });

  it.each([[['srt', 'vtt']], [['txt']]])(
    'without its %j is refused, because no job can be read for it',
    async (lost) => {
      await loseOfFirst(...lost);
      const before = await world.row(1);
      const { draft } = await draftOf(world, BACK);
      expect(draft).toMatchObject({ count: 0, refusal: 'refused-rows' });
      const [, words] = refusalLines(draft, BATCH, { command: 'voxbatch redrive', isFile: false });
      expect(words).toContain(
        'a stored file of take 1 is missing, and the row keeps what it has. No job made it that could be read again: ' +
          'restore the file from a backup of the store, then run the same command again',
      );
      expect(await world.row(1)).toEqual(before);
    },
  );

  it('has all its files where the row had another take meanwhile', async () => {
    const files = await loseOfFirst();
    await redrive(world, BACK);
    expect(await world.row(1)).toMatchObject({ file: files[0], returnedTo: 1 });
    await damage(world, 1, BATCH, 'missing');
    expect((await draftOf(world, { damaged: true })).draft.rewritten).toBe(1);
  });
});
