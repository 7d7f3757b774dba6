import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { writeMediaLinks } from '../../results/media-links.ts';
import type { UrlLife } from '../../store/store.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import { freshPlace } from '../support/place.ts';
import { addSampleBatch } from './sample-batch.ts';

const HOUR = 3_600_000;

const place = freshPlace();

it('the table of URLs says when each really ends, and which of them ends first', async () => {
  await addSampleBatch(place);
  const batch = await place.ledger.findBatch('demo');
  if (batch === undefined) throw new Error('There is no batch.');
  const lives: UrlLife[] = [{ livesMs: 168 * HOUR }, { livesMs: HOUR, limit: 'session' }];
  let signed = 0;
  const presign = (key: string): Promise<UrlLife & { readonly url: string }> =>
    Promise.resolve({ livesMs: 2 * HOUR, ...lives[signed++], url: `https://s3/${key}` });
  const before = Date.now();
  const written = await writeMediaLinks({
    ...{ ledger: place.ledger, batch, urls: { presign } },
    ...{ out: freshFolder(), lifetimeMs: 168 * HOUR },
  });
  expect(written).toMatchObject({ links: signed, limit: 'session' });
  const [, ...lines] = (await readFile(written.file, 'utf8')).trimEnd().split('\n');
  const ends = lines.map((line) => Date.parse(line.split(',').at(-1) ?? ''));
  const hours = ends.map((end) => Math.floor((end - before) / HOUR));
  expect(hours.slice(0, 3)).toEqual([168, 1, 2]);
  expect(written.until.getTime()).toBe(Math.min(...ends));
});
