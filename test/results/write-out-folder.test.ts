import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { appendFile, link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of } from '../../inputs/regular-file.ts';
import type { ResultFile } from '../../ledger/records.ts';
import { linkNewMedia, writeOutFolder } from '../../results/write-out-folder.ts';
import { partPath } from '../../results/atomic-file.ts';
import { verifyOut } from '../../results/verification/verify.ts';
import { openFolderBytes } from '../../store/folder-bytes.ts';
import { openMediaStore } from '../../store/media-store.ts';
import { changeFile, findForged, rehash } from './damage.ts';
import { OutFiles } from './out-files.ts';
import { addBatch, addSampleBatch, addSpeech, finish, intend, keyOf } from './sample-batch.ts';
import { FolderOfMedia, freshPlace } from '../support/place.ts';

const place = freshPlace();
const out = new OutFiles(place);

beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 0, 2, 3, 4, 5, 678));
});

describe('writeOutFolder', () => {
  it('writes the files that are on record here, byte for byte', async () => {
    await addSampleBatch(place);
    const { counts, money, mismatches } = await writeOutFolder(place.request());
    expect(mismatches).toEqual([]);
    expect(counts.outcomes).toMatchObject({ succeeded: 3, failed: 1, unknown: 1, overdue: 1, cancelled: 1 });
    expect(money).toMatchObject({ reserved: 0, uncertain: 10 });
    const files = await out.contents();
    expect(Object.keys(files)).toEqual([
      ...['cancelled.csv', 'failed.csv', 'media/a.mp3', 'media/b.srt', 'media/b.txt', 'media/c.mp4', 'overdue.csv'],
      ...['receipts.jsonl', 'results.csv', 'results.jsonl', 'summary.json', 'unknown.csv'],
    ]);
    const golden = join(import.meta.dirname, 'golden');
    for (const name of ['results.csv', 'results.jsonl', 'receipts.jsonl', 'failed.csv', 'summary.json']) {
      // Each ledger has an id of its own.
      const content = files[name]?.replace(place.ledger.id, 'id-of-the-ledger');
      expect([name, content]).toEqual([name, await readFile(join(golden, name), 'utf8')]);
    }
  });

  it('writes tables with the delimiter and the byte order mark of the manifest, and reads them so', async () => {
    const rows = [{ id: 'a', kind: 'tts', input: ['a', 'One, two; three'] }] as const;
    const table = { delimiter: ';', bom: true } as const;
    await addBatch(place, ['id', 'text'], rows, undefined, null, { table });
    await place.ledger.setControl('demo', 'stopping');
    await place.ledger.cancelRest('demo');
    await writeOutFolder(place.request());
    const files = await out.contents();
    expect(files['results.csv']).toMatch(/^\uFEFFid;text;_batch;_row;.*\na;"One, two; three";demo;1;tts;cancelled;/);
    expect(files['cancelled.csv']).toEqual(files['results.csv']);
    expect(JSON.parse(files['summary.json'] ?? '')).toMatchObject({ csv: table });
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
  });

  it('writes numbers with a decimal comma between semicolons, and verifies tables of before, which have a point', async () => {
    const rows = [{ id: 'a', kind: 'tts', input: ['a', '1.5'] }] as const;
    await addBatch(place, ['id', 'note'], rows, undefined, null, { table: { delimiter: ';', bom: false } });
    const file = { ...(await place.store.put('demo/1-speech-1.wav', 'sound')), seconds: 4.2 };
    await finish(place, keyOf(1), file, 7.25);
    await writeOutFolder(place.request());
    expect(await out.read('results.csv')).toMatch(/\na;1\.5;.*;7,25;reported;1;1;job-1-speech;4,2\n$/);
    expect(await out.summary()).toMatchObject({ csv: { delimiter: ';', decimal: ',' } });
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
    expect(await findForged(place.out, 'results.csv', (text) => text.replace('7,25', '7.25'))).toEqual([
      'results.csv, row 1, _credits: expected "7,25", found "7.25"',
    ]);
    await changeFile(out.pathOf('results.csv'), (text) => text.replace(';4,2', ';4.2'));
    await rehash(place.out, 'results.csv');
    await changeFile(out.pathOf('summary.json'), (text) => text.replace(/,\s*"decimal": ","/u, ''));
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
  });

  it('gives the same bytes again, also after the folder was lost, and from a store without paths, by copying', async () => {
    await addSampleBatch(place);
    await writeOutFolder(place.request());
    const first = await out.contents();
    expect((await stat(out.pathOf('media/a.mp3'))).nlink).toBe(2);
    await writeOutFolder(place.request());
    expect(await out.contents()).toEqual(first);
    for (const isLocal of [true, false]) {
      await rm(place.out, { recursive: true });
      await writeOutFolder(place.request({ store: new FolderOfMedia(place.store.folder, isLocal) }));
      expect(await out.contents()).toEqual(first);
    }
    expect((await stat(out.pathOf('media/a.mp3'))).nlink).toBe(1);
  });

  it('takes files from the real store', async () => {
    const store = openMediaStore(openFolderBytes(place.store.folder));
    await addBatch(place, ['id'], [{ id: 'talk', kind: 'stt', input: ['talk'] }]);
    const write = async (text: string, extension: string): Promise<ResultFile> =>
      store.write('demo/1-transcription-1', Buffer.from(text), { family: 'text', extension });
    const vtt = await write('WEBVTT\n', 'vtt');
    const file = await write('hello\n', 'txt');
    await intend(place, keyOf(1, 'transcription'));
    const ended = { outcome: 'succeeded', file, extraFiles: [vtt], text: 'hello' } as const;
    await place.ledger.settle(keyOf(1, 'transcription'), { verdict: 'done', file }, ended);
    expect((await writeOutFolder(place.request({ store }))).mismatches).toEqual([]);
    expect(await out.contents()).toMatchObject({ 'media/talk.txt': 'hello\n', 'media/talk.vtt': 'WEBVTT\n' });
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
  });

  it('leaves a right file alone and replaces a wrong one', async () => {
    await addSampleBatch(place);
    await writeOutFolder(place.request());
    await rm(out.pathOf('media/a.mp3'));
    await writeFile(out.pathOf('media/a.mp3'), 'sound of a');
    const own = (await stat(out.pathOf('media/a.mp3'))).ino;
    await rm(out.pathOf('media/c.mp4'));
    await writeFile(out.pathOf('media/c.mp4'), 'VIDEO of c');
    await writeOutFolder(place.request());
    expect((await stat(out.pathOf('media/a.mp3'))).ino).toBe(own);
    expect(await out.read('media/c.mp4')).toBe('video of c');
  });

  it('removes an outcome file whose rows are gone, and old part files', async () => {
    await addSampleBatch(place);
    await mkdir(out.pathOf('media'), { recursive: true });
    await writeFile(out.pathOf('unfit.csv'), 'old');
    const files = { 'unfit.csv': await sha256Of(out.pathOf('unfit.csv')) };
    await writeFile(out.pathOf('summary.json'), JSON.stringify({ files }));
    for (const name of ['media/x.mp3', 'results.csv'])
      await writeFile(partPath(out.pathOf(name)), 'left by a killed process');
    jest.mocked(Date.now).mockReturnValue(new Date().getTime() + 2 * 3_600_000);
    await writeOutFolder(place.request({ complete: false }));
    expect((await out.names()).filter((name) => /unfit|part/u.test(name))).toEqual([]);
  });

  it('shows unfinished rows with an empty outcome, which only a final projection holds against them', async () => {
    await addBatch(place, ['id'], [{ id: 'a', kind: 'tts', input: ['a'] }]);
    await intend(place, keyOf(1));
    const running = await writeOutFolder(place.request({ complete: false }));
    expect(running.mismatches).toEqual([]);
    expect(running.money.reserved).toBe(10);
    const files = await out.contents();
    expect(files['results.csv']).toContain('\na,demo,1,tts,,,,,,0,none,1,1,,\n');
    const credits = { charged: 0, reserved: 10, uncertain: 0, estimated: true };
    const open = { state: 'open', rows: 1, states: { submitting: 1 }, credits, ended_at: null };
    expect(await out.summary()).toMatchObject(open);
    const final = await writeOutFolder(place.request());
    expect(final.mismatches).toEqual([{ where: 'row 1', expected: 'an outcome', got: 'none; it is submitting' }]);
  });

  it('names a stored file that is missing or was altered', async () => {
    await addSampleBatch(place);
    await rm(join(place.store.folder, 'demo/1-speech-1.mp3'));
    await appendFile(join(place.store.folder, 'demo/3-lip-sync-1.mp4'), '!');
    for (const store of [place.store, new FolderOfMedia(place.store.folder, false)]) {
      const { mismatches } = await writeOutFolder(place.request({ store }));
      expect(mismatches.map(({ where }) => where).sort()).toEqual(['row 1, media/a.mp3', 'row 3, media/c.mp4']);
    }
  });

  it('names a row that succeeded without a file', async () => {
    await addBatch(place, ['id'], [{ id: 'a', kind: 'tts', input: ['a'] }]);
    await place.ledger.giveUp({ batch: 'demo', row: 1, step: 'speech', take: 1, attempt: 1 }, { outcome: 'succeeded' });
    const { mismatches } = await writeOutFolder(place.request());
    expect(mismatches).toEqual([{ where: 'row 1', expected: 'a result file', got: 'none in the ledger' }]);
  });

  it('names what the ledger counts otherwise than the lines do', async () => {
    await addSampleBatch(place);
    const { ledger } = place;
    const counts = await ledger.counts('demo');
    const outcomes = { ...counts.outcomes, succeeded: 4, failed: 0 };
    const money = { ...(await ledger.money('demo')), charged: 1 };
    jest.spyOn(ledger, 'counts').mockResolvedValue({ ...counts, outcomes });
    jest.spyOn(ledger, 'money').mockResolvedValue(money);
    const { mismatches } = await writeOutFolder(place.request());
    const found = mismatches.map(({ where }) => where);
    expect(found).toEqual(['rows that ended succeeded', 'rows that ended failed', 'sum of charged credits']);
  });

  it('names a row that the ledger lost', async () => {
    await addSampleBatch(place);
    const rows = place.ledger.scanRows('demo');
    jest.spyOn(place.ledger, 'scanRows').mockReturnValue(
      (async function* () {
        for await (const row of rows) if (row.row.row !== 2) yield row;
      })(),
    );
    const { mismatches } = await writeOutFolder(place.request());
    expect(mismatches.map(({ where }) => where)).toEqual([
      ...['row 3', 'rows written', 'rows counted by the ledger', 'rows that ended succeeded', 'sum of charged credits'],
    ]);
  });

  it('writes no file outside of its folder, and none over that of another row', async () => {
    const texts = ['../../evil', '/etc/evil', 'same', 'SAME', 'folder/own'];
    const rows = texts.map((text, index) => ({ id: String(index), kind: 'tts' as const, input: [text] }));
    await addBatch(place, ['text'], rows, '{text}.{ext}');
    for (const [index] of texts.entries())
      await finish(place, keyOf(index + 1), await place.store.put(`demo/${index + 1}.mp3`, String(index)));
    const { mismatches } = await writeOutFolder(place.request());
    expect(mismatches.map(({ where, expected }) => [where, expected])).toEqual([
      ['row 1', 'a name for its file'],
      ['row 2', 'a name for its file'],
      ['row 4, media/SAME.mp3', 'a name of its own'],
    ]);
    const files = await out.contents();
    expect(Object.keys(files).filter((name) => name.startsWith('media'))).toEqual([
      'media/folder/own.mp3',
      'media/same.mp3',
    ]);
    expect(files['media/same.mp3']).toBe('2');
    const entries = await readdir(place.folder);
    expect(entries.filter((name) => !name.startsWith('ledger.db')).sort()).toEqual(['out', 'store']);
  });

  it('leaves earlier files and no part files where it fails', async () => {
    await addSampleBatch(place);
    await writeOutFolder(place.request());
    const before = await out.contents();
    await rm(out.pathOf('media/a.mp3'));
    await mkdir(out.pathOf('media/a.mp3/in-the-way'), { recursive: true });
    await expect(writeOutFolder(place.request())).rejects.toThrow();
    expect(await out.contents()).toEqual(
      Object.fromEntries(Object.entries(before).filter(([name]) => !name.includes('a.mp3'))),
    );
  });

  it('knows no batch of another name', async () => {
    await expect(writeOutFolder(place.request({ batch: 'other' }))).rejects.toThrow('none named other');
  });
});

describe('linkNewMedia', () => {
  it('links the media of rows that ended since, once', async () => {
    await addSpeech(place, 'a', 'b');
    jest.mocked(Date.now).mockReturnValue(1_000);
    await finish(place, keyOf(1), await place.store.put('demo/1.mp3', 'one'));
    expect(await linkNewMedia(place.request({ complete: false }), 0)).toBe(1);
    jest.mocked(Date.now).mockReturnValue(2_000);
    await finish(place, keyOf(2), await place.store.put('demo/2.mp3', 'two'));
    await rm(out.pathOf('media/a.mp3'));
    expect(await linkNewMedia(place.request({ complete: false }), 2_000)).toBe(1);
    expect(await linkNewMedia(place.request({ complete: false }), 2_000)).toBe(0);
    expect(await out.names()).toEqual(['media/b.mp3']);
  });

  it('leaves a lost file to the projection, which names it', async () => {
    await addSampleBatch(place);
    await rm(join(place.store.folder, 'demo/1-speech-1.mp3'));
    await mkdir(out.pathOf('media'), { recursive: true });
    await link(join(place.store.folder, 'demo/3-lip-sync-1.mp4'), out.pathOf('media/c.mp4'));
    expect(await linkNewMedia(place.request(), 0)).toBe(2);
    expect(await out.names()).toEqual(['media/b.srt', 'media/b.txt', 'media/c.mp4']);
  });
});
