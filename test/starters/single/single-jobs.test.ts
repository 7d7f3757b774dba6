import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SingleJob } from '../../../batches/single/single-job.ts';
import type { ResultFile } from '../../../ledger/records.ts';
import { expectRefused, expectRun, json, placeAtSimulator, run } from '../command-line.ts';
import { addJob, type JobEnd } from './add-job.ts';

/** What a command says of a job on record. Nothing of it needs the API or a server; test/live/single-jobs.test.ts pays. */

const world = placeAtSimulator();
const { place } = world;

const SAY: SingleJob = { command: 'say', kind: 'tts', cells: { text: 'Good morning.', voice: 'anna' } };
const SAID = ['say', 'Good morning.', '--voice', 'anna'] as const;
const TALK = 'https://media.example/talk.mp3';
const TRANSCRIBE: SingleJob = { command: 'transcribe', kind: 'stt', cells: { audio: TALK } };
const AUDIO = 'ID3 the paid bytes';

let file: ResultFile;
beforeEach(async () => {
  file = await place.store.put('job/1.mp3', AUDIO);
});
const add = (job: SingleJob, end: JobEnd): Promise<string> => addJob(world.simulator, place, job, end);
/** A transcription on record, and its text file. */
const addTranscript = async (): Promise<string> =>
  add(TRANSCRIBE, { file: await place.store.put('job/1.txt', 'Good morning.'), text: 'Good morning.' });
const say = (...flags: string[]): readonly string[] => [...SAID, ...flags];
const files = (): Promise<string[]> => readdir('.');
const content = (name: string): Promise<string> => readFile(name, 'utf8');
const configure = (config: object): Promise<void> => writeFile('voxbatch.config.json', JSON.stringify(config));

describe('voxbatch say of what is finished', () => {
  it('hands out the file again without asking the API, even without a token', async () => {
    const batch = await add(SAY, { file });
    delete process.env['VOXBATCH_API_TOKEN'];
    const told = `Finished before. 7 credits charged. Nothing was sent now. Record: voxbatch explain ${batch}\n`;
    expect(await run(...SAID)).toEqual({ code: 0, stdout: `${batch}.mp3\n`, stderr: told });
    expect(await content(`${batch}.mp3`)).toBe(AUDIO);
    for (const flags of [[], ['--cache', 'only']]) await expectRun(say(...flags), 0, { out: `${batch}.mp3\n` });
  });

  it('writes it where -o says: a file, a folder, but over no other file without --force', async () => {
    const batch = await add(SAY, { file });
    await mkdir('takes');
    await expectRun(say('-o', 'mine.mp3'), 0, { out: /^mine\.mp3\n$/ });
    await expectRun(say('-o', 'takes'), 0, { out: `takes/${batch}.mp3\n` });
    await writeFile('other.mp3', 'precious');
    const err = 'other.mp3 already exists. To overwrite it, add --force';
    await expectRun(say('-o', 'other.mp3'), 2, { out: '', err });
    expect(await content('other.mp3')).toBe('precious');
    await expectRun(say('-o', 'other.mp3', '--force'), 0);
    expect(await content('other.mp3')).toBe(AUDIO);
  });

  it('takes no place where its file cannot be', async () => {
    await add(SAY, { file });
    await writeFile('plain', '');
    const none = (folder: string): string =>
      `There is no folder ${folder}. Create it, or choose another place with -o.`;
    await expectRun(say('-o', 'takes/'), 2, { out: '', err: none('takes/') });
    const { stderr } = await expectRefused(say('-o', 'takes/x.mp3'), none('takes'));
    expect(stderr).toBe(`voxbatch: ${none('takes')} Nothing was spent.\n`);
    for (const path of ['plain/', 'plain/a.mp3', `${'a'.repeat(300)}.mp3`])
      await expectRun(say('-o', path), 2, { err: `${path} cannot be written to: `, not: 'Finished before' });
    expect(await files()).toEqual(['plain']);
  });

  it('says what may have been charged on top', async () => {
    await add(SAY, { file, lostBefore: true });
    const told = '7 credits charged. 7 credits more may have been. Nothing was sent now. Record: voxbatch explain ';
    await expectRun(SAID, 0, told);
  });

  it('writes the bytes alone to stdout with -o -', async () => {
    await add(SAY, { file });
    expect(await run(...say('-o', '-'))).toMatchObject({ code: 0, stdout: AUDIO });
    // Said before anything is looked up: two kinds of data cannot share stdout.
    await expectRun(say('-o', '-', '--json'), 2, '-o - and --json both write to stdout.');
  });

  it('tells a machine its batch, outcome, file and price', async () => {
    const batch = await add(SAY, { file });
    const paid = { credits: 7, credits_kind: 'reported', take: 1 };
    const value = { batch, exit: 'complete', outcome: 'succeeded', file: `${batch}.mp3`, ...paid, was_finished: true };
    expect(await json(...SAID)).toMatchObject({ code: 0, value });
  });

  it('hands out nothing that is not what was paid for (15), or was removed (2)', async () => {
    const batch = await add(SAY, { file });
    await place.store.put('job/1.mp3', 'ID3 the paid bytez');
    const free = `If it is lost, get it again, free: voxbatch redrive ${batch} --damaged, then the same command again. `;
    const again = `${free}To pay for a new take: the same command with --again.`;
    await expectRun(SAID, 15, { out: '', err: ['Its file is altered in the store.', again] });
    await rm(join(place.folder, 'store', 'job/1.mp3'));
    await expectRun(say('-o', '-'), 15, { out: '' });
    await place.ledger.beginClean(batch, { media: true, rows: false });
    await place.ledger.cleanRows(batch, [1]);
    await place.ledger.endClean(batch);
    await expectRun(SAID, 2, { err: 'Its file was removed from the store', not: 'free' });
    expect(await files()).toEqual([]);
  });
});

describe('voxbatch say of what has no result', () => {
  it.each<[NonNullable<JobEnd['as']>, number, RegExp]>([
    ['unknown', 13, /lost\. 7 credits may have been charged\.\n.*--resubmit\. See: voxbatch explain say-/],
    ['failed', 10, /The engine gave up\. 7 credits charged\.\n.*--again/],
  ])('says of one that ended %s what to do, and sends nothing', async (as, code, words) => {
    await add(SAY, { as });
    const charged = as === 'unknown' ? 'may have been charged' : 'failed after it was charged';
    const err = new RegExp(`${charged}\\. Nothing was sent now\\.\n.*${words.source}`);
    await expectRun(SAID, code, { out: '', err });
    expect((await json(...SAID)).value).toMatchObject({ outcome: as, file: null });
  });

  it.each([
    ['refused', 'If the input was not the cause, and that is mended: voxbatch redrive'],
    ['failed', 'Send it again, at its price: voxbatch redrive'],
  ] as const)('names no table of one that ended %s: it has none to edit', async (as, words) => {
    const name = await add(SAY, { as });
    const other = 'To change its input: the same command with other arguments';
    await expectRun(['explain', name], 0, { out: [words, other], not: 'failed.csv' });
    await expectRun(['status', name], 10, { not: 'failed.csv' });
  });

  it('does not take --again for a word about what may have been charged', async () => {
    await add(SAY, { as: 'unknown' });
    await expectRun(say('--again', '--yes'), 13);
  });
});

it.each<[readonly string[], string]>([
  [['say', 'Hi'], 'say needs --voice (voxbatch voices list shows them).'],
  [['say', ' ', '--voice', 'anna'], 'The text is empty.\nNothing was sent.'],
  [say('--speed', '9'), 'speed: expected a number from 0.5 to 2; got 9.'],
  [say('--format', 'wav', '-o', 'a.mp3'), '-o ends in .mp3, and --format says wav.'],
  [say('--api', 'mood'), 'expected FIELD=VALUE'],
  [say('-o', 'takes/x.mp3'), 'There is no folder takes. Create it, or choose another place with -o.'],
  [say('--cache', 'only', '--again'), '--again pays for a request, and --cache only sends none.'],
  [say('--cache', 'only', '--resubmit'), '--resubmit pays for a request, and --cache only'],
  [
    ['transcribe talk.mp3'],
    'audio: talk.mp3 is no http(s) address, and the API fetches its media by URL. Put the file where the',
  ],
  [['transcribe', TALK, '-o', 'talk.json'], 'expected a name that ends in .txt, .srt, .vtt.'],
  [['lip-sync file:///face.mp4', TALK], 'video: expected an absolute http:// or https:// URL with a host'],
])('what cannot be sent, %j, is a usage error before anything is recorded', async (line, words) => {
  await expectRefused(line, words);
  expect(await place.ledger.listBatches()).toEqual([]);
});

describe('voxbatch transcribe', () => {
  it('prints the text, and writes the form that the name of the file asks for', async () => {
    const text = await place.store.put('job/1.txt', 'Good morning.');
    const srt = await place.store.put('job/1.srt', '1\n00:00:00,000 --> 00:00:01,000\nGood morning.\n');
    await add(TRANSCRIBE, { file: text, extraFiles: [srt], text: 'Good morning.' });
    await expectRun(`transcribe ${TALK}`, 0, { out: /^Good morning\.\n$/ });
    await expectRun(`transcribe ${TALK} -o talk.srt`, 0, { out: /^talk\.srt\n$/ });
    expect(await content('talk.srt')).toMatch(/^1\n00:00/);
    const none = 'has no times, so there is no .vtt of it';
    await expectRun(`transcribe ${TALK} -o talk.vtt`, 14, { out: '', err: none });
    expect((await json(`transcribe ${TALK}`)).value).toMatchObject({ text: 'Good morning.' });
    await rm(join(place.folder, 'store', srt.key));
    const lost = await run(`transcribe ${TALK} -o again.srt`);
    expect(lost.stderr).toMatch(/at which price: voxbatch redrive \S+ --damaged --dry-run/);
  });

  it.each(['--assume-seconds 60', '--budget 500 --assume-seconds 120'])(
    'with another length to assume is the same job: what may have been charged is not sent again (%s)',
    async (flags) => {
      await add(TRANSCRIBE, { as: 'unknown' });
      await expectRun(`transcribe ${TALK} ${flags}`, 13, { out: '', err: 'Nothing was sent now.' });
    },
  );
});

describe('a single job with another dialect of the API', () => {
  it.each([
    ['v1', 'legacy'],
    ['legacy', 'v1'],
  ] as const)('is the same job: what was asked for in %s is not sent again in %s', async (apiDialect, now) => {
    const batch = await add(SAY, { file, apiDialect });
    await configure({ apiDialect: now });
    await expectRun(SAID, 0, { out: `${batch}.mp3\n` });
    const name = await add({ ...SAY, cells: { ...SAY.cells, text: 'Lost.' } }, { as: 'unknown', apiDialect });
    const lost = ['say', 'Lost.', '--voice', 'anna', '--api-dialect'];
    await expectRun(lost.slice(0, -1), 13, { out: '', err: 'Nothing was sent now.' });
    const refusal = `${apiDialect}, the dialect in which this was asked for before ("${name}")`;
    await expectRun([...lost, now], 2, { out: '', err: refusal });
    await expectRun([...lost, apiDialect], 13);
  });

  it('goes by --api-dialect before the configuration, also for what the legacy paths lack', async () => {
    await configure({ apiDialect: 'legacy' });
    await expectRun(`transcribe ${TALK}`, 2, 'stt rows need --api-dialect v1');
    await addTranscript();
    await expectRun(`transcribe ${TALK} --api-dialect v1`, 0, { out: /^Good morning\.\n$/ });
  });
});

describe('voxbatch say under a limit on the length of texts that came later', () => {
  const text = 'Good morning to all of you.';
  const said = ['say', text, '--voice', 'anna'] as const;

  it.each([undefined, 'sentences'] as const)('hands out what is finished, with --split %s', async (split) => {
    const batch = await add({ ...SAY, cells: { ...SAY.cells, text }, ...(split && { split }) }, { file });
    await configure({ textLimit: 20 });
    const flags = split === undefined ? [] : ['--split', split];
    await expectRun([...said, ...flags], 0, { out: `${batch}.mp3\n` });
  });

  it('refuses what is new', async () => {
    await configure({ textLimit: 20 });
    await expectRun(said, 2, { out: '', err: 'a text of at most 20 characters' });
  });
});

describe('voxbatch say of what was cleaned', () => {
  it('hands out the file if only what it asked for was removed', async () => {
    const batch = await add(SAY, { file });
    await run(`clean ${batch} --rows --yes`);
    await expectRun(SAID, 0, { out: `${batch}.mp3\n` });
    await run(`clean ${await addTranscript()} --rows --yes`);
    await expectRun(`transcribe ${TALK}`, 0, { out: /^Good morning\.$/ });
  });

  it('says that the file was removed, and pays only with --again', async () => {
    const batch = await add(SAY, { file });
    await run(`clean ${batch} --all --yes`);
    // The test put it where no batch's folder is.
    await rm(join(place.folder, 'store', 'job/1.mp3'));
    const err = /was removed from the store.*Nothing was spent.*with --again\./;
    await expectRun(SAID, 2, { out: '', err });
  });

  it('says of one that failed after a charge that it needs --again', async () => {
    const batch = await add(SAY, { as: 'failed' });
    await run(`clean ${batch} --all --yes`);
    await expectRun(SAID, 10, /Nothing was sent now.*the same command with --again\./s);
  });
});

it('single jobs among batches are counted by list, shown on request, and looked at and cleaned by their name', async () => {
  const batch = await add(SAY, { file });
  await expectRun('list', 0, 'and 1 single job: voxbatch list --single');
  await expectRun('list --single', 0, { out: new RegExp(`^${batch} +finished`, 'm') });
  expect((await json('list')).value).toEqual([]);
  expect((await json('list --all')).value).toMatchObject([{ batch, single: 'say' }]);
  await expectRun('list --all --single', 2);
  await expectRun(`explain ${batch}`, 0, { out: 'Good morning.' });
  for (const line of ['status', 'results', 'verify']) await expectRun(`${line} ${batch}`, 0);
  await expectRun(`clean ${batch} --media --yes`, 0);
});
