import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { checkStored } from '../../results/files.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import type { ResultFile } from '../../ledger/records.ts';
import { lazyFileReader } from '../../store/open-store.ts';
import { refusalLines } from '../../starters/redrive/refusal-words.ts';
import { forecastLines } from '../../starters/redrive/redrive-words.ts';
import { BATCH, keyOf, tts, stt, FORGOTTEN } from './rows.ts';
import { createWorld, type World } from './world.ts';

/** `redrive --accept ROW/TAKE` where the files of that take are lost: what was paid for is fetched again, free. */

const BACK = { accept: true, rows: ['1/1'] };
const SECOND = { accept: true, rows: ['1/2'] };
const NOTHING = { paying: 0, waits: 0 };

let world: World;
let folder: string;

beforeEach(async () => {
  world = await createWorld();
  folder = join(world.folder, 'store');
});

/** Row 1 gets takes 1 and 2, and these files of take 1 are lost. Returns all files of take 1. */
async function loseFirst(spec: RowSpec, ...lost: readonly string[]): Promise<readonly [ResultFile, ...ResultFile[]]> {
  await world.fill([spec]);
  await world.work();
  const { file, extraFiles } = await world.row();
  if (file === null) throw new Error('Take 1 has no file.');
  await world.redrive();
  for (const one of [file, ...extraFiles]) if (lost.includes(one.extension)) await rm(join(folder, one.key));
  return [file, ...extraFiles];
}

/** The row has take 1 again once this command was given once more, and nothing was paid for that. */
async function expectFetchedBySameCommand(first: ResultFile): Promise<void> {
  // Nothing of it is left that a redrive of the row would wait for.
  expect((await world.draft()).draft).toMatchObject({ waits: 0, replaced: 1, paying: 1 });
  await world.plan();
  expect(await world.redrive(BACK)).toEqual(NOTHING);
  expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 2, returnedTo: 1, file: first });
  expect(await checkStored(first, lazyFileReader(folder))).toBe('intact');
  expect(world.charges()).toHaveLength(2);
}

/** Opens the row as `redrive --accept 1/1` does. */
async function reopen(isLost: boolean): Promise<void> {
  const how = { type: 'accept', earlier: { take: 1, isLost } } as const;
  await world.ledger.redrive(BATCH, [{ row: 1, take: 2, outcome: 'succeeded', how }]);
}

describe('speech', () => {
  it('is fetched again, and the row goes back to it', async () => {
    const [first] = await loseFirst(tts(), 'mp3');
    const { draft } = await world.draft(BACK);
    expect(forecastLines(draft, BATCH)).toEqual([
      `Redrive of batch "${BATCH}", at a cost of nothing`,
      '  1 row back to the result of an earlier take, free',
      '  1 of these has to fetch that file first: its job is read, and the row keeps what it has until then',
    ]);
    expect(draft.isSettling).toBe(false);
    await expectFetchedBySameCommand(first);
    expect(await world.ledger.decisionsOf(BATCH, 1)).toMatchObject([{ what: 'went-back', take: 1 }]);
    expect(await world.redrive(SECOND)).toEqual(NOTHING);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', returnedTo: null });
    expect(world.charges()).toHaveLength(2);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['the API has forgotten', () => world.plan(FORGOTTEN).then(() => world.redrive(BACK))],
    [
      'is overdue',
      async () => {
        await reopen(true);
        const failure = { class: 'Overdue', message: 'It still runs.' } as const;
        await world.ledger.changeRunning(keyOf(1), { outcome: 'overdue', failure });
      },
    ],
    ['is waited for no longer after a stop', () => reopen(true).then(() => world.ledger.stopNow(BATCH))],
  ])('of a job that %s leaves the row what it has, and is fetched by the same command again', async (_, fail) => {
    const [first] = await loseFirst(tts(), 'mp3');
    const { file } = await world.row();
    await fail();
    await world.ledger.closeBatch(BATCH);
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', returnedTo: null, file });
    await expectFetchedBySameCommand(first);
  });

  it('with other content stays beside what the row has, and is taken by the same command again', async () => {
    const [first] = await loseFirst(tts(), 'mp3');
    const before = await world.row();
    await reopen(true);
    expect(await world.row()).toMatchObject({ outcome: null, file: null });
    const file = { ...first, sha256: 'b'.repeat(64) };
    await world.ledger.finishJob(keyOf(1), { file }, { outcome: 'succeeded', file });
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', returnedTo: null, file: before.file });
    await reopen(false);
    const oddity = expect.stringContaining('its job gave another file');
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', returnedTo: 1, file: { ...file, oddity } });
  });

  it('that was never fetched is fetched once a person asks for it, and the row keeps what it has until then', async () => {
    await world.fill([tts()]);
    await world.work();
    const before = await world.row();
    await world.plan(FORGOTTEN);
    await world.redrive();
    // In vain at first.
    for (let tries = 0; tries < 2; tries++) {
      expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 2, file: before.file });
      expect((await world.draft(SECOND)).draft).toMatchObject({ accepts: 1, refetched: 1, isSettling: false });
      if (tries === 0) await world.redrive(SECOND);
    }
    await world.plan();
    expect(await world.redrive(SECOND)).toEqual(NOTHING);
    const { file, ...row } = await world.row();
    expect(row).toMatchObject({ outcome: 'succeeded', take: 2, returnedTo: null });
    expect(file?.key).not.toBe(before.file?.key);
    expect(await checkStored(file ?? { key: '', sha256: '' }, lazyFileReader(folder))).toBe('intact');
    expect(world.charges()).toHaveLength(2);
  });
});

describe('a transcript', () => {
  it('is whole again if its lost subtitles follow from the others', async () => {
    const files = await loseFirst(stt(), 'srt');
    await world.redrive(BACK);
    const { file, extraFiles } = await world.row();
    expect([file, ...extraFiles]).toEqual(files);
    for (const one of files) expect(await checkStored(one, lazyFileReader(folder))).toBe('intact');
    expect(world.charges()).toHaveLength(2);
  });

  it.each([[['srt', 'vtt']], [['txt']]])(
    'without its %j is refused, because no job can be read for it',
    async (lost) => {
      await loseFirst(stt(), ...lost);
      const before = await world.row();
      const { draft } = await world.draft(BACK);
      expect(draft).toMatchObject({ count: 0, refusal: 'refused-rows' });
      const [, words] = refusalLines(draft, BATCH, { command: 'voxbatch redrive', isFile: false });
      expect(words).toContain(
        'a stored file of take 1 is missing, and the row keeps what it has. No job made it that could be read again: ' +
          'restore the file from a backup of the store, then run the same command again',
      );
      expect(await world.row()).toEqual(before);
    },
  );

  it('has all its files where the row had another take meanwhile', async () => {
    const [first] = await loseFirst(stt());
    await world.redrive(BACK);
    expect(await world.row()).toMatchObject({ file: first, returnedTo: 1 });
    await world.damage(1, BATCH, 'missing');
    expect((await world.draft({ damaged: true })).draft.rewritten).toBe(1);
  });
});
