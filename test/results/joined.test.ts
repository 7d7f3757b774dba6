import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_TABLE_FORMAT, type TableFormat } from '../../contract/table-format.ts';
import { writeOutFolder } from '../../results/write-out-folder.ts';
import { LinkedFolder } from '../../results/errors.ts';
import { verifyOut } from '../../results/verification/verify.ts';
import { mediaSeconds } from '../../store/inspect.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { freshPlace } from '../support/place.ts';
import { mp3, wav } from '../store/media.ts';
import { OutFiles } from './out-files.ts';
import { addBatch, finish, keyOf, refuse } from './sample-batch.ts';

const place = freshPlace();
const out = new OutFiles(place);
const inOut = (name: string): string => out.pathOf(name);
const COLUMNS = ['id', 'chapter', 'pause', 'title'];
const ROWS = [
  ['a', 'One', '', 'Begin'],
  ['b', 'Two / 2', '', ''],
  ['c', 'One', '0.5', ''],
  ['d', '', '', ''],
  ['e', 'Two / 2', '', ''],
  ['f', 'One', '0', ''],
] as const;

/** A batch of six rows, in two files and one that is in none. */
async function add(pause = 0.25, table: TableFormat = DEFAULT_TABLE_FORMAT): Promise<void> {
  const join = { column: 'chapter', pause };
  const reading = { kind: null, defaults: {}, map: {}, tts: 'job', join } as const;
  const rows = ROWS.map((input) => ({ id: input[0], kind: 'tts' as const, input }));
  await addBatch(place, COLUMNS, rows, undefined, null, { reading, table });
}

async function speak(row: number, body: Buffer, extension = 'wav', take = 1): Promise<void> {
  const file = await place.store.put(`demo/${row}-speech-${take}.${extension}`, body);
  await finish(place, keyOf(row, 'speech', 1, take), file);
}

describe('rows that are joined', () => {
  beforeEach(async () => {
    await add();
    for (const row of [1, 3, 4, 5, 6]) await speak(row, wav(row / 10));
  });

  it('become a file a value, in the order of the manifest, with their pauses and chapters', async () => {
    await speak(2, wav(0.2));
    const { joined } = await out.project();
    expect(joined).toEqual([
      expect.objectContaining({ value: 'One', file: 'media/joined/One.wav', rows: '3', message: '' }),
      expect.objectContaining({
        value: 'Two / 2',
        file: expect.stringMatching(/^media\/joined\/Two _ 2-[0-9a-f]{8}\.wav$/),
      }),
    ]);
    // 0.1 s and the default pause, 0.3 s and one of its own, 0.6 s and none.
    expect(await mediaSeconds(inOut('media/joined/One.wav'), 'wav')).toBe(1.75);
    const body = await readFile(inOut('media/joined/One.wav'));
    for (const title of ['Begin\0', 'c\0', 'f\0']) expect(body.includes(title)).toBe(true);
    expect(await out.read('joined.csv')).toMatch(
      /^value,file,seconds,rows,sha256,parts,message\nOne,media\/joined\/One\.wav,1\.75,3,[0-9a-f]{64},[0-9a-f]{64},\n/,
    );
    expect(await out.summary()).toMatchObject({ joined: { files: 2, incomplete: 0 } });
  });

  it('wait for a row that has no result, with its name, and are made once it is there', async () => {
    await refuse(place, keyOf(2), { class: 'BadRequest', message: 'no such voice' });
    const { joined } = await out.project();
    expect(joined).toMatchObject([{ value: 'One' }, { value: 'Two / 2', file: '', message: 'row 2 (b) is failed' }]);
    expect(await readdir(inOut('media/joined'))).toEqual(['One.wav']);
    await out.payAgain(2);
    expect((await out.project()).joined?.[1]).toMatchObject({ message: 'row 2 (b) is not finished' });
    await speak(2, wav(0.2), 'wav', 2);
    expect((await out.project()).joined?.[1]).toMatchObject({ seconds: '1.2', message: '' });
  });

  it('leave a file alone that is there, make a lost or altered one again, and keep nothing else', async () => {
    await speak(2, wav(0.2));
    await out.project();
    const path = inOut('media/joined/One.wav');
    const [before, stored] = [await stat(path), await readdir(place.store.folder, { recursive: true })];
    expect(stored.filter((name) => name.includes('joined'))).toEqual([]);
    await out.project();
    expect((await stat(path)).ino).toBe(before.ino);
    const whole = await readFile(path);
    await chmod(path, 0o644);
    await writeFile(path, 'something else');
    expect((await verifyOut(place.out)).mismatches).toHaveLength(1);
    await out.project();
    expect(await readFile(path)).toEqual(whole);
    await rm(place.out, { recursive: true });
    await out.project();
    expect(await readFile(path)).toEqual(whole);
  });

  it('lose their file when a row is opened again, but never a file of a person', async () => {
    await speak(2, wav(0.2));
    await out.project();
    await writeFile(inOut('media/joined/mine.txt'), 'mine');
    await out.payAgain(1);
    await out.project();
    expect(await readdir(inOut('media/joined'))).toEqual([expect.stringMatching(/^Two/), 'mine.txt']);
  });

  it('say why they cannot be joined, and that costs no other file', async () => {
    await speak(2, mp3(), 'mp3');
    const { joined } = await out.project();
    expect(joined?.[1]).toMatchObject({
      file: '',
      message: expect.stringContaining('Only files of one type can be joined'),
    });
    expect(await readdir(inOut('media/joined'))).toEqual(['One.wav']);
  });

  it('are made by two commands at once', async () => {
    await speak(2, wav(0.2));
    const both = await Promise.all([1, 2].map(() => writeOutFolder(place.request({ complete: false }))));
    for (const { joined } of both) expect(joined?.map(({ message }) => message)).toEqual(['', '']);
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
  });

  it('are not written behind a symbolic link', async () => {
    await speak(2, wav(0.2));
    await mkdir(inOut('media'), { recursive: true });
    await mkdir(join(place.folder, 'victim'));
    await symlink(join(place.folder, 'victim'), inOut('media/joined'));
    await expect(writeOutFolder(place.request({ complete: false }))).rejects.toThrow(
      new LinkedFolder(inOut('media/joined')),
    );
    expect(await readdir(join(place.folder, 'victim'))).toEqual([]);
  });

  it('ignore a list that leads out of the folder', async () => {
    await speak(2, wav(0.2));
    await out.project();
    const outside = join(place.folder, 'outside.txt');
    await writeFile(outside, 'mine');
    const list = await out.read('joined.csv');
    const sha256 = createHash('sha256').update('mine').digest('hex');
    await writeFile(inOut('joined.csv'), `${list}Three,media/joined/../../../outside.txt,1,1,${sha256},x,\n`);
    await writeOutFolder(place.request({ complete: false }));
    expect(await readFile(outside, 'utf8')).toBe('mine');
  });
});

it('rows in MP3 have chapters that players read', async () => {
  await add();
  for (const row of [1, 2, 3, 4, 5, 6]) await speak(row, mp3(row * 10), 'mp3');
  await out.project();
  const list = join(place.folder, 'chapters.txt');
  await ffmpeg('-i', inOut('media/joined/One.mp3'), '-f', 'ffmetadata', list);
  expect([...(await readFile(list, 'utf8')).matchAll(/title=(.*)/g)].map(([, title]) => title)).toEqual([
    'Begin',
    'c',
    'f',
  ]);
});

it('a batch without it has no list, and no word of it in its summary', async () => {
  await addBatch(place, ['id'], [{ id: 'a', kind: 'tts', input: ['a'] }]);
  const { joined } = await out.project();
  expect(joined).toBeNull();
  expect(await readdir(place.out)).not.toContain('joined.csv');
  expect(await out.summary()).not.toHaveProperty('joined');
});

it('have their length with a decimal comma in a table with semicolons, and it is read back with a point', async () => {
  await add(0.25, { delimiter: ';', bom: false });
  for (const row of [1, 3, 6]) await speak(row, wav(row / 10));
  const { joined } = await out.project();
  expect(await out.read('joined.csv')).toMatch(/\nOne;media\/joined\/One\.wav;1,75;3;/);
  expect((await out.project()).joined).toEqual(joined);
  expect(joined?.[0]?.seconds).toBe('1.75');
});
