import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openVoxbatch } from '../../../client/voxbatch.ts';
import { addBatch } from '../../results/sample-batch.ts';
import { freshPlace } from '../../support/place.ts';

const place = freshPlace();

it('a redrive from a file refuses edits of rows that have not ended', async () => {
  await addBatch(place, ['id', 'text', 'voice'], [{ id: 'a', kind: 'tts', input: ['a', 'Helo.', 'v'] }]);
  const from = join(place.folder, 'edited.csv');
  await writeFile(from, 'id,text,voice\na,Hello.,v\n');
  const library = openVoxbatch({ home: place.folder });
  try {
    const batch = library.batch('demo');
    const refused = { type: 'open-edits', forecast: { openEdited: 1, count: 0 } };
    expect(await batch.checkRedrive({ from })).toMatchObject(refused);
    expect(await batch.redrive({ from, out: join(place.folder, 'out') })).toMatchObject(refused);
    expect((await place.ledger.readRow('demo', 1))?.row).toMatchObject({ take: 1, outcome: null });
  } finally {
    await library.close();
  }
});
