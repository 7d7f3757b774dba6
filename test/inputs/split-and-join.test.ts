import { expect, it } from '@jest/globals';
import { manifestOfText } from '../../inputs/manifest-source.ts';
import { checkManifest, readManifest } from '../../inputs/read-manifest.ts';
import { chooseSettings } from '../../batches/batch-settings.ts';

it('a manifest may be split and joined: a row in parts is one row of its group', async () => {
  const wanted = { split: 'sentences', join: { column: 'chapter', pause: 0 } } as const;
  const { manifest: options } = chooseSettings(wanted, { textLimit: 100 });
  const long = 'This is a sentence of a book. '.repeat(6).trim();
  const lines = [
    { id: 'a', text: long, voice: 'anna', chapter: 'one' },
    { id: 'b', text: 'Short.', voice: 'anna', chapter: 'one' },
  ];
  const source = manifestOfText('book.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));
  const checked = await checkManifest(source, options, null);
  if (checked.type !== 'sound') throw new Error('The manifest is not sound.');
  const parts: number[] = [];
  for await (const row of readManifest(source, options, checked.summary)) parts.push(row.parts?.length ?? 0);
  expect(parts).toEqual([2, 0]);
});
