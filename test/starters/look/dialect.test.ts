import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { mp3 } from '../../store/media.ts';
import { addStories } from '../../batches/two-batches.ts';
import { aBatch } from '../../ledger/setup.ts';
import { placeForEach } from '../place-for-each.ts';
import { run, json } from '../command-line.ts';

const { place } = placeForEach();

/** A batch of two rows, of which the second speaks legacy, and one that is all v1. */
beforeEach(async () => {
  const store = join(place.folder, 'store');
  const story = { type: 'speech', body: mp3(20) } as const;
  const share = aBatch('share');
  const { settings } = share;
  await addStories(
    ...([place.ledger, store, 'share', [story, story]] as const),
    (row) => (row.row === 2 ? { ...row, spec: { ...row.spec, dialect: 'legacy' } } : row),
    { ...share, settings: { ...settings, reading: { ...settings.reading, legacyShare: 0.5 } } },
  );
  await addStories(place.ledger, store, 'current', [story]);
});

const said = async (...words: string[]): Promise<string> => (await run(...words)).stdout;

describe('the dialect', () => {
  it('of a batch is told where it is not v1, and for machines always', async () => {
    expect(await said('status', 'share')).toContain('/api/open/v1, --api-dialect legacy=50%, from b.csv\n');
    expect(await said('status', 'current')).not.toContain('dialect');
    expect((await json('status', 'share', '--json')).value['api_dialect']).toBe('legacy=50%');
    expect((await json('status', 'current', '--json')).value['api_dialect']).toBe('v1');
  });

  it('of a row is told where it is not v1, and for machines always', async () => {
    const row = (id: string): string[] => ['explain', id, '--batch', 'share'];
    expect(await said(...row('r2'))).toContain(', kind tts, by the legacy paths of the API\n');
    expect(await said(...row('r1'))).toContain(', kind tts\n');
    const both = [await json(...row('r1'), '--json'), await json(...row('r2'), '--json')];
    expect(both.map(({ value }) => value['api_dialect'])).toEqual(['v1', 'legacy']);
  });
});
