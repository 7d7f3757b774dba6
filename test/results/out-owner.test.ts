/** @slow */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { link, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { claimOut, standingOf } from '../../results/out-owner.ts';
import { projectBatch } from '../../results/project.ts';
import { addSampleBatch, openPlace, type Place } from './sample-batch.ts';

let place: Place;
let out: string;
let batch: BatchRecord;

beforeEach(async () => {
  place = await openPlace();
  out = place.request().out;
  await addSampleBatch(place);
  const found = await place.ledger.findBatch('demo');
  if (found === undefined) throw new Error('no batch');
  batch = found;
  await mkdir(out);
});

afterEach(async () => place.close());

describe('an out folder', () => {
  it('is free where it is absent, empty, or has files of other names only', async () => {
    expect(await standingOf(out, batch)).toEqual({ type: 'free' });
    await writeFile(join(out, 'lines.csv'), 'id,text\n');
    expect(await standingOf(out, batch)).toEqual({ type: 'free' });
    expect(await standingOf(join(out, 'nowhere'), batch)).toEqual({ type: 'free' });
  });

  it.each(['failed.csv', 'summary.json', 'results.jsonl'])('is not to be had where a person has a %s', async (name) => {
    await writeFile(join(out, name), '{"rows": 3}\n');
    expect(await standingOf(out, batch)).toEqual({ type: 'taken', by: `has a file ${name} that is not of it` });
    expect(await claimOut(out, batch)).toMatchObject({ type: 'taken' });
  });

  it('is its own by the summary, and by the tables where that was deleted', async () => {
    await projectBatch(place.request());
    expect(await standingOf(out, batch)).toEqual({ type: 'own' });
    await rm(join(out, 'summary.json'));
    expect(await standingOf(out, batch)).toEqual({ type: 'own' });
  });

  it.each([
    [{ name: 'other' }, 'holds the results of batch "demo"'],
    [{ digest: 'e'.repeat(64) }, 'with another manifest'],
    [{ apiUrl: 'https://x.example' }, 'with another API (https://api.example/api/open/v1)'],
    [{ account: 'user-2' }, 'with another account (user-1)'],
  ])('is not to be had by a batch that differs in %j', async (change, words) => {
    await projectBatch(place.request());
    expect(await standingOf(out, { ...batch, ...change })).toEqual({
      type: 'taken',
      by: expect.stringContaining(words),
    });
  });

  it('is claimed by one of two before there is a summary, which takes the place of the claim', async () => {
    const other = { ...batch, name: 'other' };
    const [mine, theirs] = await Promise.all([claimOut(out, batch), claimOut(out, other)]);
    expect([mine.type, theirs.type].sort()).toEqual(['own', 'taken']);
    if (mine.type === 'own') expect(await claimOut(out, batch)).toEqual({ type: 'own' });
    await projectBatch(place.request());
    expect((await readdir(out)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('keeps media of which nothing says whose they are, unless they are links to the store', async () => {
    await mkdir(join(out, 'media'));
    await link(join(place.store.folder, 'demo/1-speech-1.mp3'), join(out, 'media/a.mp3'));
    expect(await standingOf(out, batch)).toEqual({ type: 'free' });
    await writeFile(join(out, 'media/holiday.mp4'), 'film');
    expect(await standingOf(out, batch)).toEqual({
      type: 'taken',
      by: 'has a file media/holiday.mp4 that is not of it',
    });
  });
});
