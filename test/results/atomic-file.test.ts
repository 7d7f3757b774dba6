import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { partPath, sweepParts, AtomicFile } from '../../results/atomic-file.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const folder = folderForEach();

describe('AtomicFile', () => {
  it('is not there before it is published, and whole afterwards', async () => {
    const path = folder('a.txt');
    await writeFile(path, 'old');
    const file = await AtomicFile.create(path);
    const text = 'ä'.repeat(300_000);
    await file.write(text);
    await file.write('end');
    expect(await readFile(path, 'utf8')).toBe('old');
    expect(await file.seal()).toBe(createHash('sha256').update(`${text}end`).digest('hex'));
    await file.publish();
    await file.abandon();
    expect(await readFile(path, 'utf8')).toBe(`${text}end`);
    expect(await readdir(folder())).toEqual(['a.txt']);
  });

  it('leaves nothing behind when it is abandoned', async () => {
    const file = await AtomicFile.create(folder('a.txt'));
    await file.write('text');
    await file.abandon();
    expect(await readdir(folder())).toEqual([]);
  });
});

it('sweepParts removes old part files and nothing else', async () => {
  const old = partPath(folder('old.mp3'));
  const fresh = partPath(folder('fresh.mp3'));
  const other = folder('a.part');
  for (const path of [old, fresh, other]) await writeFile(path, '');
  for (const path of [old, other]) await utimes(path, 1, 1);
  await sweepParts(folder());
  expect((await readdir(folder())).map((name) => folder(name)).sort()).toEqual([fresh, other].sort());
});
