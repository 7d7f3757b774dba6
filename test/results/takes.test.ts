import { describe, expect, it } from '@jest/globals';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Step } from '../../contract/row-kinds.ts';
import type { NewRow } from '../../ledger/rows/row-records.ts';
import { linkNewMedia, writeOutFolder } from '../../results/write-out-folder.ts';
import { OutFiles } from './out-files.ts';
import { accept, addBatch, failJob, finish, intend, keyOf, lose } from './sample-batch.ts';
import { redriveNow } from '../ledger/setup.ts';
import { FolderOfMedia, freshPlace } from '../support/place.ts';
import { ANN } from '../support/ann.ts';

const place = freshPlace();
const out = new OutFiles(place);
const media = (): Promise<Readonly<Record<string, string>>> => out.contents('media');

const lost = { class: 'OutcomeUnknown', message: 'no answer within 180 s' } as const;

async function addRows(ids: readonly string[], kind: 'tts' | 'stt' | 'dub' = 'tts', template?: string): Promise<void> {
  const rows = ids.map((id) => ({ id, kind, input: [id] }));
  await addBatch(place, ['text'], rows, template);
}

/** A person pays for a row again, from a step on; `edited` is what it asks for from then on. */
async function payAgain(row: number, edited?: string, fromStep: Step = 'speech'): Promise<void> {
  const spec: NewRow['spec'] = { kind: 'tts', extra: {} };
  const { take } = (await place.ledger.readRow('demo', row))?.row ?? { take: 0 };
  const change = edited === undefined ? {} : { edited: { spec, input: [edited], quoted: 10 } };
  const how = { type: 'pay', fromStep, reason: 'resubmitted', ...change } as const;
  expect((await redriveNow(place.ledger, 'demo', [{ row, take, how }])).rows).toEqual([row]);
}

/** The speech of a row comes, as this content. */
async function speak(row: number, content: string, take = 1, credits?: number): Promise<void> {
  const file = await place.store.put(`demo/${row}-speech-${take}.mp3`, content);
  await finish(place, keyOf(row, 'speech', 1, take), file, credits);
}

const failTake = (row: number, take: number, step: Step = 'speech'): Promise<void> =>
  failJob(place, keyOf(row, step, 1, take));

describe('the file of an earlier take', () => {
  it.each([true, false])(
    'stays while its row is open again, and if the new take fails; linked: %s',
    async (isLocal) => {
      const store = new FolderOfMedia(place.store.folder, isLocal);
      await addRows(['a', 'b']);
      await speak(1, 'first');
      await speak(2, 'other');
      await out.project(true, { store });
      expect(await media()).toEqual({ 'a.mp3': 'first', 'b.mp3': 'other' });
      await payAgain(1);
      await out.project(false, { store });
      expect(await media()).toEqual({ 'a.mp3': 'first', 'b.mp3': 'other' });
      expect(await out.line(1)).toMatchObject({ _outcome: '', _file: '' });
      await failTake(1, 2);
      await out.project(true, { store });
      expect(await media()).toEqual({ 'a.mp3': 'first', 'b.mp3': 'other' });
      expect(await out.line(1)).toMatchObject({ _outcome: 'succeeded', _file: 'media/a.mp3', _take: 2 });
    },
  );

  it('stays while nobody knows whether the new take has a result', async () => {
    await addRows(['a']);
    await speak(1, 'first');
    await out.project(true);
    await payAgain(1);
    await lose(place, keyOf(1, 'speech', 1, 2));
    await out.project(true);
    expect(await out.line(1)).toMatchObject({ _outcome: 'unknown', _file: '' });
    expect(await media()).toEqual({ 'a.mp3': 'first' });
  });

  it('goes where the next take has another extension, with the files beside it', async () => {
    await addRows(['a'], 'stt');
    const { ledger, store } = place;
    const key = keyOf(1, 'transcription');
    await intend(place, key);
    const file = await store.put('demo/1-transcription-1.txt', 'text');
    const subtitles = ['srt', 'vtt'].map((form) => store.put(`demo/1-transcription-1.${form}`, form));
    const extraFiles = await Promise.all(subtitles);
    await ledger.settle(key, { verdict: 'done', file }, { outcome: 'succeeded', file, extraFiles, text: 'text' });
    await out.project(true);
    expect(Object.keys(await media())).toEqual(['a.srt', 'a.txt', 'a.vtt']);
    await payAgain(1, undefined, 'transcription');
    const second = keyOf(1, 'transcription', 1, 2);
    await intend(place, second);
    const next = await store.put('demo/1-transcription-2.txt', 'TEXT');
    await ledger.settle(second, { verdict: 'done', file: next }, { outcome: 'succeeded', file: next, text: 'TEXT' });
    await out.project(true);
    expect(await media()).toEqual({ 'a.txt': 'TEXT' });
  });

  it('stays when following begins, and goes once a row that was edited asks for something else', async () => {
    await addRows(['a']);
    await speak(1, 'first');
    expect(await linkNewMedia(place.request({ complete: false }), 0)).toBe(1);
    await payAgain(1);
    expect(await linkNewMedia(place.request({ complete: false }), 1)).toBe(0);
    expect(await media()).toEqual({ 'a.mp3': 'first' });
    expect(await linkNewMedia(place.request({ complete: false }), 0)).toBe(0);
    expect(await media()).toEqual({ 'a.mp3': 'first' });
    await failTake(1, 2);
    await payAgain(1, 'a2');
    expect(await linkNewMedia(place.request({ complete: false }), 0)).toBe(0);
    expect(await media()).toEqual({});
  });

  it('goes when a person took back the job that it was of', async () => {
    await addRows(['a']);
    await lose(place, keyOf(1));
    await place.ledger.decide(keyOf(1), { type: 'adopted', jobId: 'job-x' }, ANN);
    const file = await place.store.put('demo/1-speech-1.mp3', 'of a stranger');
    await place.ledger.finishJob(keyOf(1), { file }, { outcome: 'succeeded', file });
    await out.project(true);
    expect(await media()).toEqual({ 'a.mp3': 'of a stranger' });
    await place.ledger.decide(keyOf(1), { type: 'released', jobId: 'job-x' }, ANN);
    await out.project(true);
    expect(await media()).toEqual({});
  });

  it('goes although the file of the next take is lost', async () => {
    await addRows(['a']);
    await speak(1, 'first');
    await out.project(true);
    await payAgain(1);
    await speak(1, 'second', 2);
    await rm(join(place.store.folder, 'demo/1-speech-2.mp3'));
    const { mismatches } = await writeOutFolder(place.request({ complete: false }));
    expect(mismatches.map(({ got }) => got)).toEqual(['no such file in the store']);
    expect(await media()).toEqual({});
  });

  it('goes under the name that the row had before it was edited, unless another row has that name now', async () => {
    await addRows(['a', 'b', 'c'], 'tts', '{text}.{ext}');
    for (const row of [1, 2, 3]) await speak(row, 'sound');
    await out.project(true);
    await payAgain(1, 'b2');
    await payAgain(2, 'a');
    await payAgain(3, 'c2');
    await speak(1, 'b2', 2);
    // The very bytes that row 1 had under this name.
    await speak(2, 'sound', 2);
    await payAgain(1, 'b3');
    await speak(3, 'c2', 2);
    await out.project();
    expect(await media()).toEqual({ 'a.mp3': 'sound', 'c2.mp3': 'c2' });
  });

  it('stays where a person put something else under its name', async () => {
    await addRows(['a', 'b', '../c'], 'tts', '{text}.{ext}');
    for (const row of [1, 2]) await speak(row, 'first');
    const file = await place.store.put('demo/x.mp3', 'x');
    await place.ledger.giveUp(keyOf(3), { outcome: 'succeeded', file });
    await mkdir(join(place.out, 'media'), { recursive: true });
    await writeFile(join(place.out, 'media/a.mp3'), 'my own take');
    await writeFile(join(place.out, 'media/a.wav'), 'first');
    await symlink(join(place.store.folder, 'demo/2-speech-1.mp3'), join(place.out, 'media/b.mp3'));
    for (const [at, text] of ['a', 'b', '../c'].entries()) await payAgain(at + 1, text);
    for (const row of [1, 2, 3]) await failTake(row, 2);
    await out.project(true);
    expect(await media()).toEqual({ 'a.mp3': 'my own take', 'a.wav': 'first', 'b.mp3': 'first' });
  });
});

describe('the bill of several takes', () => {
  it('has every charge of a chain whose first step is kept', async () => {
    await addRows(['a'], 'dub');
    await finish(place, keyOf(1), await place.store.put('demo/1-speech-1.speech.wav', 'speech'), 2);
    await failTake(1, 1, 'lip-sync');
    await payAgain(1, undefined, 'lip-sync');
    await finish(place, keyOf(1, 'lip-sync', 1, 2), await place.store.put('demo/1-lip-sync-2.mp4', 'video'), 4);
    await out.project(true);
    const bill = { _credits: 9, _credits_kind: 'reported', _take: 2, _attempts: 1 };
    const jobs = ['job-1-speech', 'job-1-lip-sync', 'job-1-lip-sync-2'];
    expect(await out.line(1)).toMatchObject({ _outcome: 'succeeded', _file: 'media/a.mp4', ...bill, _job_ids: jobs });
    expect(await out.lines('receipts.jsonl')).toMatchObject([
      { step: 'speech', take: 1, file: { name: null } },
      { step: 'lip-sync', take: 1, file: null, error_class: 'JobFailed' },
      { step: 'lip-sync', take: 2, file: { name: 'media/a.mp4' } },
    ]);
  });

  it('stays uncertain after a lost answer, until that comes', async () => {
    await addRows(['a']);
    const { ledger, store } = place;
    await lose(place, keyOf(1));
    await payAgain(1);
    await speak(1, 'second', 2, 5);
    await out.project(true);
    expect(await out.line(1)).toMatchObject({
      _outcome: 'succeeded',
      _credits: 5,
      _credits_kind: 'uncertain',
      _take: 2,
    });
    expect(await out.summary()).toMatchObject({ credits: { charged: 5, uncertain: 10, estimated: true } });
    const late = await store.put('demo/1-speech-1.mp3', 'first');
    await ledger.settle(keyOf(1), { verdict: 'done', credits: 6, file: late }, { outcome: 'succeeded', file: late });
    await out.project(true);
    expect(await out.line(1)).toMatchObject({ _outcome: 'succeeded', _credits: 11, _credits_kind: 'reported' });
    expect(await media()).toEqual({ 'a.mp3': 'second' });
  });

  it('is the same for a row that ended overdue and came all the same', async () => {
    await addRows(['a']);
    const { ledger, store } = place;
    await accept(place, keyOf(1), 'job-1');
    await ledger.stopNow('demo');
    await out.project(true);
    expect(await out.line(1)).toMatchObject({ _outcome: 'overdue', _error_class: 'Overdue', _job_ids: ['job-1'] });
    await redriveNow(ledger, 'demo', [{ row: 1, take: 1, how: { type: 'wait' } }]);
    await out.project();
    const file = await store.put('demo/1-speech-1.mp3', 'first');
    await ledger.finishJob(keyOf(1), { file, credits: 4 }, { outcome: 'succeeded', file });
    await out.project(true);
    expect(await out.line(1)).toMatchObject({ _outcome: 'succeeded', _credits: 4, _take: 1, _attempts: 1 });
  });

  it('names the job of an answer that was found in the list', async () => {
    await addRows(['a']);
    const { ledger, store } = place;
    await intend(place, keyOf(1));
    await ledger.settle(keyOf(1), { verdict: 'unknown', failure: lost }, { state: 'submitting' });
    await ledger.settle(keyOf(1), { verdict: 'accepted', jobId: 'found', isAdopted: true }, { state: 'processing' });
    const file = await store.put('demo/1-speech-1.mp3', 'first');
    await ledger.finishJob(keyOf(1), { file, credits: 4 }, { outcome: 'succeeded', file });
    await out.project(true);
    expect(await out.line(1)).toMatchObject({ _job_ids: ['found'], _credits: 4, _credits_kind: 'reported' });
  });
});

describe('a batch with a budget', () => {
  it('reserves the later steps of what has begun, and ends what does not fit as skipped', async () => {
    const rows = ['a', 'b'].map((id) => ({ id, kind: 'dub' as const, input: [id] }));
    await addBatch(place, ['text'], rows, undefined, 25);
    const { ledger, store } = place;
    await intend(place, keyOf(1), 8);
    await out.project();
    expect(await out.summary()).toMatchObject({ budget: 25, halted: null, credits: { charged: 0, reserved: 18 } });
    await ledger.settle(keyOf(1), { verdict: 'accepted', jobId: 'job-1' }, { state: 'processing' });
    const speech = await store.put('demo/1-speech-1.speech.wav', 'speech');
    await ledger.finishJob(keyOf(1), { file: speech, credits: 10 }, { state: 'waiting' });
    await out.project();
    expect(await out.summary()).toMatchObject({ credits: { charged: 10, reserved: 8 } });
    const intent = { quoted: 10, quotedRest: 8, owner: 'worker-1', maxSending: 8 };
    expect(await ledger.intend(keyOf(2), intent)).toMatchObject({ type: 'over-budget' });
    await finish(place, keyOf(1, 'lip-sync'), await store.put('demo/1-lip-sync-1.mp4', 'video'), 8);
    await out.project(true);
    const outcomes = { succeeded: 1, skipped: 1 };
    expect(await out.summary()).toMatchObject({ outcomes, credits: { charged: 18, reserved: 0 } });
    expect(await out.read('skipped.csv')).toContain('OverBudget');
  });

  it('says why it gave up', async () => {
    await addRows(['a', 'b']);
    await place.ledger.tune('demo', { halt: { when: 'now', fail: 1, unit: 'rows' } });
    await failTake(1, 1);
    await out.project(true);
    expect(await out.summary()).toMatchObject({ control: null, halted: expect.stringContaining('1') });
    expect((await out.summary())['outcomes']).toMatchObject({ failed: 1, cancelled: 1 });
  });
});
