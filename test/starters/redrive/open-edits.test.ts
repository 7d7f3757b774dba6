import { beforeEach, describe, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { addBatch } from '../../results/sample-batch.ts';
import { expectRun, placeForEach } from '../command-line.ts';

const place = placeForEach();

beforeEach(async () => {
  const row = (id: string, text: string) => ({ id, kind: 'tts', input: [id, text, 'v', ''] }) as const;
  await addBatch(place, ['id', 'text', 'voice', '_note'], [row('a', 'Helo.'), row('b', 'Bye.')]);
});

/** With a note, which no step reads. */
const write = (text: string): Promise<void> =>
  writeFile('other.csv', `id,text,voice,_note\na,${text},v,loud\nb,Bye.,v,\n`);

describe('redrive --from, while rows of the batch have not ended', () => {
  it.each(['', '--dry-run'])('refuses edits that would not count for them (%s)', async (flags) => {
    await write('Hello.');
    await expectRun(
      `redrive demo --from other.csv ${flags}`,
      2,
      '1 edited row of batch "demo" has not ended: it goes on, and is paid for, as it was before the edit. ' +
        'Nothing was changed. Nothing was spent. To end the batch first (what runs is fetched later, free): voxbatch stop demo --now. ' +
        'Then run the same command again.',
    );
  });

  it('leaves those out of which only a note was edited', async () => {
    await write('Helo.');
    await expectRun('redrive demo --from other.csv --dry-run', 0, { not: 'edited' });
  });
});
