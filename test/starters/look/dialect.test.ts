import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { mp3 } from '../../store/media.ts';
import { addStories } from '../../batches/two-batches.ts';
import { aBatch } from '../../ledger/setup.ts';
import { expectRun, json, placeForEach } from '../command-line.ts';

const place = placeForEach();

it('the dialect of a batch and of a row is told where it is not v1, and for machines always', async () => {
  const store = join(place.folder, 'store');
  const story = { type: 'speech', body: mp3(20) } as const;
  const share = aBatch('share');
  const { settings } = share;
  // The second row speaks legacy.
  await addStories(
    ...([place.ledger, store, 'share', [story, story]] as const),
    (row) => (row.row === 2 ? { ...row, spec: { ...row.spec, dialect: 'legacy' } } : row),
    { ...share, settings: { ...settings, reading: { ...settings.reading, legacyShare: 0.5 } } },
  );
  await addStories(place.ledger, store, 'current', [story]);
  await expectRun('status share', 75, { out: '/api/open/v1, --api-dialect legacy=50%, from b.csv\n' });
  await expectRun('status current', 75, { not: 'dialect' });
  await expectRun('explain r2 --batch share', 0, { out: ', kind tts, by the legacy paths of the API\n' });
  await expectRun('explain r1 --batch share', 0, { out: ', kind tts\n' });
  const told = ['status share', 'status current', 'explain r1 share', 'explain r2 share'];
  const dialects = told.map(async (line) => (await json(line)).value['api_dialect']);
  expect(await Promise.all(dialects)).toEqual(['legacy=50%', 'v1', 'v1', 'legacy']);
});
