import { beforeEach, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addBatch } from '../../results/sample-batch.ts';
import { placeForEach } from '../place-for-each.ts';
import { run } from '../command-line.ts';

const { place } = placeForEach();
let file: string;

beforeEach(async () => {
  const row = (id: string, text: string) => ({ id, kind: 'tts', input: [id, text, 'v', ''] }) as const;
  await addBatch(place, ['id', 'text', 'voice', '_note'], [row('a', 'Helo.'), row('b', 'Bye.')]);
  file = join(place.folder, 'edited.csv');
});

/** With a note, which no step reads. */
async function redrive(text: string, ...flags: string[]): Promise<{ code: number; stderr: string }> {
  await writeFile(file, `id,text,voice,_note\na,${text},v,loud\nb,Bye.,v,\n`);
  return run('redrive', 'demo', '--from', file, ...flags);
}

describe('redrive --from, while rows of the batch have not ended', () => {
  it.each([[], ['--dry-run']])('refuses edits that would not count for them (%j)', async (...flags: string[]) => {
    const { code, stderr } = await redrive('Hello.', ...flags);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(
        '1 edited row of batch "demo" has not ended: it goes on, and is paid for, as it was before the edit. ' +
          'Nothing was changed. Nothing was spent. To end the batch first (what runs is fetched later, free): voxbatch stop demo --now. ' +
          'Then run the same command again.',
      ),
    });
  });

  it('leaves those out of which only a note was edited', async () => {
    const { code, stderr } = await redrive('Helo.', '--dry-run');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('edited') });
  });
});
