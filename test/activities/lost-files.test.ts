import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { RowSpec } from '../../contract/row-kinds.ts';
import { BATCH, keyOf, tts, dub, verified, speaks, FORGOTTEN, FREE, type Wanted, type Rule } from './rows.ts';
import { begin, type World } from './world.ts';

/** Rows whose stored file is damaged after they have succeeded: what was paid for is fetched again, and not paid again. */

async function withResult(spec: RowSpec, wanted: Wanted = {}, ...rules: readonly Rule[]): Promise<World> {
  const { world, worker } = await begin([spec], { wanted, rules: [...rules] });
  await worker.work();
  return world;
}

it.each<[string, RowSpec, 'missing' | 'altered', number]>([
  ['verified speech', verified(), 'altered', 2],
  ['verified speech', verified(), 'missing', 2],
  ['speech', tts(), 'altered', 1],
  ['the video of verified speech', verified(dub()), 'missing', 3],
])('the file of %s is fetched again, free, and a repair is safe to repeat: %#', async (_, spec, how, paid) => {
  const world = await withResult(spec);
  const { file } = await world.row();
  expect((await world.draft({ damaged: true })).draft.count).toBe(0);
  await world.damage(1, BATCH, how);
  expect(await world.redrive({ damaged: how === 'missing' })).toEqual(FREE);
  expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 1, failure: null, file });
  expect(world.charges()).toHaveLength(paid);
  expect((await world.draft({ damaged: true })).draft.count).toBe(0);
  // It is whole, so the same command asks for another one now.
  expect((await world.draft()).draft).toMatchObject({ paying: 1, waits: 0 });
});

it('the best take, which a person accepted, is fetched again, free, and not a later one', async () => {
  const world = await withResult(verified(), { retakes: 1 }, speaks('missing-sentence'), speaks('other-words'));
  const unfit = await world.row();
  expect(unfit).toMatchObject({ outcome: 'unfit', take: 2, file: unfit.charges[0]?.file });
  await world.redrive({ accept: true });
  await world.damage();
  expect(await world.redrive()).toEqual(FREE);
  expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 2, file: unfit.file });
  expect(world.charges()).toHaveLength(4);
});

it('speech that was accepted unverified is fetched again without another verification', async () => {
  const lost: Rule = { on: 'create', operation: 'transcription', fault: { kind: 'reset-after' }, times: 1 };
  const world = await withResult(verified(), {}, lost);
  expect(await world.outcomes()).toEqual(['unknown']);
  await world.redrive({ accept: true });
  await world.damage();
  await world.redrive();
  expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 1 });
  expect(world.operations()).toEqual(['speech-job', 'transcription']);
});

it('other content than was verified does not pass, and a redrive pays for its verification alone', async () => {
  const world = await withResult(verified());
  await world.damage();
  const { file } = await world.row();
  if (file === null) throw new Error('there is no file');
  await world.open();
  const other = { ...file, sha256: 'b'.repeat(64) };
  await world.ledger.finishJob(keyOf(1), { file: other }, { state: 'waiting' });
  expect(await world.row()).toMatchObject({ outcome: 'unfit', failure: { cause: 'not verified' }, file: other });
  expect(await world.redrive()).toEqual({ paying: 1, waits: 0 });
  expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 2, file: other });
  expect(world.operations()).toEqual(['speech-job', 'transcription', 'transcription']);
});

it('a job that the API has forgotten leaves it to a person to pay', async () => {
  const world = await withResult(verified());
  await world.damage();
  await world.plan(FORGOTTEN);
  await world.redrive();
  expect(await world.row()).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' }, take: 1 });
  expect(world.charges()).toHaveLength(2);
  await world.plan();
  expect(await world.redrive()).toEqual(FREE);
  expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 1 });
  await world.damage();
  expect(await world.redrive({ resubmit: true })).toEqual({ paying: 1, waits: 0 });
  expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 2 });
});

it('what was spoken at once has no job, so it is made again at its price, which takes the same word as to replace it', async () => {
  const world = await withResult(tts(), { tts: 'sync' });
  expect((await world.draft()).draft).toMatchObject({ replaced: 1, lost: 0, resubmitted: 0 });
  await world.damage();
  expect((await world.draft()).draft).toMatchObject({ replaced: 1, lost: 1, resubmitted: 0 });
  expect(await world.redrive()).toEqual({ paying: 1, waits: 0 });
  expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 2 });
  expect(world.operations()).toEqual(['speech-sync', 'speech-sync']);
});

describe('a file that was taken for lost, and is back: a disk was not mounted, or a backup was restored', () => {
  /** A row whose file was moved away, and which is opened to have its job read again. */
  async function withFileAway(): Promise<{ world: World; path: string; before: Awaited<ReturnType<World['row']>> }> {
    const world = await withResult(tts());
    const [before, path] = [await world.row(), await world.pathOf()];
    await rename(path, `${path}.away`);
    await world.open();
    return { world, path, before };
  }

  it('is its row’s again, free, though the job is gone', async () => {
    const { world, path, before } = await withFileAway();
    await world.plan(FORGOTTEN);
    await world.work();
    expect(await world.row()).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' }, file: null });
    await rename(`${path}.away`, path);
    expect(await world.open({ outcomes: ['failed'] })).toMatchObject({ paying: 0 });
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 1, failure: null, file: before.file });
    expect(world.operations()).toEqual(['speech-job']);
  });

  it('is its row’s, too, where that was stopped while its job was read again, but for another file of its name', async () => {
    for (const isBack of [true, false]) {
      const { world, path, before } = await withFileAway();
      await world.ledger.stopNow(BATCH);
      await world.ledger.closeBatch(BATCH);
      expect(await world.outcomes()).toEqual(['overdue']);
      if (isBack) await rename(`${path}.away`, path);
      else await writeFile(path, 'x'.repeat(before.file?.bytes ?? 0));
      expect(await world.open({ resubmit: isBack })).toMatchObject({ paying: 0 });
      if (!isBack) expect(await world.row()).toMatchObject({ outcome: null, state: 'processing' });
      await world.work();
      expect(await world.row()).toMatchObject({ outcome: 'succeeded', take: 1, file: before.file });
      expect(world.operations()).toEqual(['speech-job']);
    }
  });

  it('was not lost where the store is not the one that it was put into', async () => {
    const world = await withResult(tts());
    await rm(join(world.folder, 'store'), { recursive: true });
    await expect(world.draft({}, BATCH, () => Promise.reject(new Error('not mounted')))).rejects.toThrow('not mounted');
    expect(await world.row()).toMatchObject({ outcome: 'succeeded', failure: null });
  });
});
