/** @slow */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { link, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { claimOut, ownershipOf, type OwnerLedger } from '../../results/out-owner.ts';
import { writeOutFolder } from '../../results/write-out-folder.ts';
import { addSampleBatch } from './sample-batch.ts';
import { freshPlace } from '../support/place.ts';

const place = freshPlace();

let batch: BatchRecord;

/** A ledger of this id, which has the batch on record or not. */
const ledgerOf = (id: string, known?: BatchRecord): OwnerLedger => ({
  id,
  findBatch: () => Promise.resolve(known),
});

beforeEach(async () => {
  await addSampleBatch(place);
  batch = await place.batch();
  await mkdir(place.out);
});

/** How the folder stands to the batch, in a line; by default for the ledger of the place. */
async function standing(of = batch, ledger: OwnerLedger = place.ledger, folder = place.out): Promise<string> {
  const found = await ownershipOf(folder, of, ledger);
  return found.type === 'taken' ? found.by : found.type;
}
const OF_ANOTHER = expect.stringContaining('of this batch from another ledger');

describe('an out folder', () => {
  it('is free where it is absent, empty, or has files of other names only', async () => {
    expect(await standing()).toBe('free');
    await writeFile(join(place.out, 'lines.csv'), 'id,text\n');
    expect(await standing()).toBe('free');
    expect(await standing(batch, place.ledger, join(place.out, 'nowhere'))).toBe('free');
  });

  it.each(['failed.csv', 'summary.json', 'results.jsonl'])('is not to be had where a person has a %s', async (name) => {
    await writeFile(join(place.out, name), '{"rows": 3}\n');
    expect(await standing()).toBe(`has a file ${name} that is not of it`);
    expect(await claimOut(place.out, batch, place.ledger)).toMatchObject({ type: 'taken' });
  });

  it('is its own by the summary, and by the tables where that was deleted', async () => {
    await writeOutFolder(place.request());
    expect(await standing()).toBe('own');
    await rm(join(place.out, 'summary.json'));
    expect(await standing()).toBe('own');
  });

  it.each([
    [{ name: 'other' }, 'holds the results of batch "demo"'],
    [{ digest: 'e'.repeat(64) }, 'with another manifest'],
    [{ apiUrl: 'https://x.example' }, 'with another API (https://api.example/api/open/v1)'],
    [{ account: 'user-2' }, 'with another account (user-1)'],
  ])('is not to be had by a batch that differs in %j', async (change, words) => {
    await writeOutFolder(place.request());
    expect(await standing({ ...batch, ...change })).toContain(words);
  });

  it('is not to be had by the same batch of another ledger, which paid for nothing of it', async () => {
    const [there, elsewhere] = [ledgerOf('ledger-1', batch), ledgerOf('ledger-2')];
    expect(await claimOut(place.out, batch, there)).toEqual({ type: 'own' });
    expect(await standing(batch, elsewhere)).toEqual(OF_ANOTHER);
    await rm(place.out, { recursive: true });
    await writeOutFolder(place.request());
    expect(await standing()).toBe('own');
    expect(await standing(batch, elsewhere)).toEqual(OF_ANOTHER);
  });

  it.each(['its summary', 'its claim'])(
    'is not to be had by its own ledger that has forgotten it, by %s',
    async (what) => {
      if (what === 'its claim') await claimOut(place.out, batch, place.ledger);
      else await writeOutFolder(place.request());
      for (const known of [undefined, { ...batch, state: 'loading' } as const])
        expect(await claimOut(place.out, batch, ledgerOf(place.ledger.id, known))).toEqual({ type: 'forgotten' });
      expect(await claimOut(place.out, batch, place.ledger)).toEqual({ type: 'own' });
    },
  );

  it.each(['without its summary', 'with a summary of an earlier version'])(
    'is not to be had %s by a ledger that has no such batch on record: it would pay again',
    async (how) => {
      await writeOutFolder(place.request());
      const path = join(place.out, 'summary.json');
      const { ledger, ...older } = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
      expect(ledger).toBe(place.ledger.id);
      await (how.startsWith('without') ? rm(path) : writeFile(path, JSON.stringify(older)));
      const others = [undefined, { ...batch, digest: 'e'.repeat(64) }, { ...batch, state: 'loading' } as const];
      for (const known of others) {
        expect(await claimOut(place.out, batch, ledgerOf('ledger-2', known))).toEqual({
          type: 'taken',
          by: OF_ANOTHER,
        });
      }
      expect(await claimOut(place.out, batch, place.ledger)).toEqual({ type: 'own' });
    },
  );

  it('is claimed by one of two before there is a summary, which takes the place of the claim', async () => {
    const other = { ...batch, name: 'other' };
    const [mine, theirs] = await Promise.all([
      claimOut(place.out, batch, place.ledger),
      claimOut(place.out, other, ledgerOf(place.ledger.id, other)),
    ]);
    expect([mine.type, theirs.type].sort()).toEqual(['own', 'taken']);
    if (mine.type === 'own') expect(await claimOut(place.out, batch, place.ledger)).toEqual({ type: 'own' });
    await writeOutFolder(place.request());
    expect((await readdir(place.out)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('keeps media of which nothing says whose they are, unless they are links to the store', async () => {
    await mkdir(join(place.out, 'media'));
    await link(join(place.store.folder, 'demo/1-speech-1.mp3'), join(place.out, 'media/a.mp3'));
    expect(await standing()).toBe('free');
    await writeFile(join(place.out, 'media/holiday.mp4'), 'film');
    expect(await standing()).toBe('has a file media/holiday.mp4 that is not of it');
  });

  it('is none of anybody where media/ is a symbolic link, also if it is its own', async () => {
    await mkdir(join(place.folder, 'victim'));
    await symlink(join(place.folder, 'victim'), join(place.out, 'media'));
    const linked = { type: 'linked', path: join(place.out, 'media') };
    expect(await ownershipOf(place.out, batch, place.ledger)).toEqual(linked);
    await rm(join(place.out, 'media'));
    await writeOutFolder(place.request());
    await rm(join(place.out, 'media'), { recursive: true });
    await symlink(join(place.folder, 'victim'), join(place.out, 'media'));
    expect(await claimOut(place.out, batch, place.ledger)).toEqual(linked);
  });

  it.each(['media/v', 'media/.v', 'media/deep/v'])('is not free with the symbolic link %s', async (name) => {
    await mkdir(join(place.out, 'media/deep'), { recursive: true });
    await symlink(place.folder, join(place.out, name));
    expect(await standing()).toBe(`has a symbolic link ${name} that is not of it`);
  });

  it.each(['summary.json', 'results.jsonl'])(
    'is not to be had where %s is a pipe, and nobody waits for it',
    async (name) => {
      execFileSync('mkfifo', [join(place.out, name)]);
      expect(await claimOut(place.out, batch, place.ledger)).toEqual({
        type: 'taken',
        by: `has a file ${name} that is not of it`,
      });
    },
  );
});
