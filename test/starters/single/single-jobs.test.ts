import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SingleJob } from '../../../batches/single/single-job.ts';
import type { ResultFile } from '../../../ledger/record-types.ts';
import { placeAtSimulator } from '../place-for-each.ts';
import { addJob, type JobEnd } from './add-job.ts';
import { run, json } from '../command-line.ts';

/** What a command says of a job on record. Nothing of it needs the API or a server; test/live/single-jobs.test.ts pays. */

const invocation = placeAtSimulator({
  atEnd: () => {
    expect(invocation.simulator.ledger()).toEqual([]);
    return Promise.resolve();
  },
});
const { place } = invocation;

const SAY: SingleJob = { command: 'say', kind: 'tts', cells: { text: 'Good morning.', voice: 'anna' } };
const SAID = ['say', 'Good morning.', '--voice', 'anna'] as const;
const TALK = 'https://media.example/talk.mp3';
const TRANSCRIBE: SingleJob = { command: 'transcribe', kind: 'stt', cells: { audio: TALK } };
const AUDIO = 'ID3 the paid bytes';

let file: ResultFile;
beforeEach(async () => {
  file = await place.store.put('job/1.mp3', AUDIO);
});
const add = (job: SingleJob, end: JobEnd): Promise<string> => addJob(invocation.simulator, place, job, end);
const files = (): Promise<string[]> => readdir(invocation.line.folder);
const content = (name: string): Promise<string> => readFile(join(invocation.line.folder, name), 'utf8');

describe('voxbatch say of what is finished', () => {
  it('hands out the file again without asking the API, even without a token', async () => {
    const batch = await add(SAY, { file });
    delete process.env['VOXBATCH_API_TOKEN'];
    const { code, stdout, stderr } = await run(...SAID);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${batch}.mp3\n` });
    expect(stderr).toBe(
      `Finished before, nothing was sent now. 7 credits charged. Record: voxbatch explain ${batch}\n`,
    );
    expect(await content(`${batch}.mp3`)).toBe(AUDIO);
    expect(await run(...SAID)).toMatchObject({ code: 0, stdout: `${batch}.mp3\n` });
  });

  it('writes it where -o says: a file, a folder, but over no other file without --force', async () => {
    const batch = await add(SAY, { file });
    expect(await run(...SAID, '-o', 'mine.mp3')).toMatchObject({ code: 0, stdout: 'mine.mp3\n' });
    await mkdir('takes');
    expect(await run(...SAID, '-o', 'takes')).toMatchObject({ stdout: `takes/${batch}.mp3\n` });
    await writeFile('other.mp3', 'precious');
    const refused = await run(...SAID, '-o', 'other.mp3');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('other.mp3 already exists. To overwrite it, add --force');
    expect(await content('other.mp3')).toBe('precious');
    expect(await run(...SAID, '-o', 'other.mp3', '--force')).toMatchObject({ code: 0 });
    expect(await content('other.mp3')).toBe(AUDIO);
  });

  it('takes no place where its file cannot be', async () => {
    await add(SAY, { file });
    await writeFile('plain', '');
    const absent = await run(...SAID, '-o', 'takes/');
    expect(absent).toMatchObject({ code: 2, stdout: '' });
    expect(absent.stderr).toContain('There is no folder takes/. Create it, or choose another place with -o.');
    expect(await run(...SAID, '-o', 'takes/x.mp3')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'voxbatch: There is no folder takes. Create it, or choose another place with -o. Nothing was spent.\n',
    });
    for (const path of ['plain/', 'plain/a.mp3', `${'a'.repeat(300)}.mp3`]) {
      const { code, stderr } = await run(...SAID, '-o', path);
      expect(code).toBe(2);
      expect(stderr).toContain(`${path} cannot be written to: `);
      expect(stderr).not.toContain('Finished before');
    }
    expect(await files()).toEqual(['plain']);
  });

  it('says what may have been charged on top', async () => {
    await add(SAY, { file, lostBefore: true });
    const { code, stderr } = await run(...SAID);
    expect(code).toBe(0);
    expect(stderr).toContain('7 credits charged. 7 credits more may have been. Record: voxbatch explain ');
  });

  it('hands it out with --cached-only, too', async () => {
    const batch = await add(SAY, { file });
    expect(await run(...SAID, '--cached-only')).toMatchObject({ code: 0, stdout: `${batch}.mp3\n` });
  });

  it('writes the bytes alone to stdout with -o -', async () => {
    await add(SAY, { file });
    expect(await run(...SAID, '-o', '-')).toMatchObject({ code: 0, stdout: AUDIO });
    const both = await run(...SAID, '-o', '-', '--json');
    // Said before anything is looked up: two kinds of data cannot share stdout.
    expect(both.stderr).toContain('-o - and --json both write to stdout.');
    expect(both.code).toBe(2);
  });

  it('tells a machine its batch, outcome, file and price', async () => {
    const batch = await add(SAY, { file });
    expect(await json(...SAID, '--json')).toMatchObject({
      code: 0,
      value: {
        batch,
        exit: 'complete',
        outcome: 'succeeded',
        file: `${batch}.mp3`,
        credits: 7,
        credits_kind: 'reported',
        take: 1,
        was_finished: true,
      },
    });
  });

  it('hands out nothing that is not what was paid for (15), or was removed (2)', async () => {
    const batch = await add(SAY, { file });
    await place.store.put('job/1.mp3', 'ID3 the paid bytez');
    const altered = await run(...SAID);
    expect(altered).toMatchObject({ code: 15, stdout: '' });
    expect(altered.stderr).toMatch(/Its file is altered in the store\./);
    expect(altered.stderr).toContain(
      `If it is lost, get it again, free: voxbatch redrive ${batch} --damaged, then the same command again. ` +
        'To pay for a new take: the same command with --again.',
    );
    await rm(join(place.folder, 'store', 'job/1.mp3'));
    expect(await run(...SAID, '-o', '-')).toMatchObject({ code: 15, stdout: '' });
    await place.ledger.beginClean(batch, { media: true, rows: false });
    await place.ledger.cleanRows(batch, [1]);
    await place.ledger.endClean(batch);
    const removed = await run(...SAID);
    expect(removed.code).toBe(2);
    expect(removed.stderr).toContain('Its file was removed from the store');
    expect(removed.stderr).not.toContain('free');
    expect(await files()).toEqual([]);
  });
});

describe('voxbatch say of what has no result', () => {
  it.each<[JobEnd['as'], number, RegExp]>([
    [
      'unknown',
      13,
      /may have been charged\. Nothing was sent now\.\n.*lost\. 7 credits may have been charged\.\n.*--resubmit\. See: voxbatch explain say-/s,
    ],
    [
      'failed',
      10,
      /failed after it was charged\. Nothing was sent now\.\n.*The engine gave up\. 7 credits charged\.\n.*--again/s,
    ],
  ])('says of one that ended %s what to do, and sends nothing', async (as = 'failed', code, words) => {
    await add(SAY, { as });
    const ended = await run(...SAID);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toMatch(words);
    expect((await json(...SAID, '--json')).value).toMatchObject({ outcome: as, file: null });
  });

  it('does not take --again for a word about what may have been charged', async () => {
    await add(SAY, { as: 'unknown' });
    expect(await run(...SAID, '--again', '--yes')).toMatchObject({ code: 13 });
  });
});

describe('what cannot be sent', () => {
  it.each<[readonly string[], string]>([
    [['say', 'Hi'], 'say needs --voice (voxbatch voices list shows them).'],
    [['say', ' ', '--voice', 'anna'], 'text: expected a value'],
    [[...SAID, '--speed', '9'], 'speed: expected a number from 0.5 to 2; got 9.'],
    [[...SAID, '--format', 'wav', '-o', 'a.mp3'], '-o ends in .mp3, and --format says wav.'],
    [[...SAID, '--api', 'mood'], 'expected FIELD=VALUE'],
    [[...SAID, '-o', 'takes/x.mp3'], 'There is no folder takes. Create it, or choose another place with -o.'],
    [[...SAID, '--cached-only', '--again'], '--again pays for a request, and --cached-only (--cache only) sends none.'],
    [[...SAID, '--cache', 'only', '--resubmit'], '--resubmit pays for a request, and --cached-only'],
    [
      ['transcribe', 'talk.mp3'],
      'audio: talk.mp3 is a file here, and the API fetches its media by URL. Put it where the API can fetch it',
    ],
    [['transcribe', TALK, '-o', 'talk.json'], 'expected a name that ends in .txt, .srt, .vtt.'],
    [['lip-sync', 'file:///face.mp4', TALK], 'video: expected an absolute http:// or https:// URL with a host'],
  ])('%j is a usage error before anything is recorded', async (args, words) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr).toContain('Nothing was spent.');
    expect(await place.ledger.listBatches()).toEqual([]);
  });
});

describe('voxbatch transcribe of what is finished', () => {
  it('prints the text, and writes the form that the name of the file asks for', async () => {
    const text = await place.store.put('job/1.txt', 'Good morning.');
    const srt = await place.store.put('job/1.srt', '1\n00:00:00,000 --> 00:00:01,000\nGood morning.\n');
    await add(TRANSCRIBE, { file: text, extraFiles: [srt], text: 'Good morning.' });
    expect(await run('transcribe', TALK)).toMatchObject({ code: 0, stdout: 'Good morning.\n' });
    expect(await run('transcribe', TALK, '-o', 'talk.srt')).toMatchObject({
      code: 0,
      stdout: 'talk.srt\n',
    });
    expect(await content('talk.srt')).toMatch(/^1\n00:00/);
    const none = await run('transcribe', TALK, '-o', 'talk.vtt');
    expect(none).toMatchObject({ code: 14, stdout: '' });
    expect(none.stderr).toContain('has no times, so there is no .vtt of it');
    expect((await json('transcribe', TALK, '--json')).value).toMatchObject({ text: 'Good morning.' });
    await rm(join(place.folder, 'store', srt.key));
    const lost = await run('transcribe', TALK, '-o', 'again.srt');
    expect(lost.stderr).toMatch(/at which price: voxbatch redrive \S+ --damaged --dry-run/);
  });
});

describe('voxbatch transcribe with another length to assume', () => {
  it.each<{ flags: readonly string[] }>([
    { flags: ['--assume-seconds', '60'] },
    { flags: ['--budget', '500', '--assume-seconds', '120'] },
  ])('is the same job: with $flags, what may have been charged is not sent again', async ({ flags }) => {
    await add(TRANSCRIBE, { as: 'unknown' });
    const ended = await run('transcribe', TALK, ...flags);
    expect(ended).toMatchObject({ code: 13, stdout: '' });
    expect(ended.stderr).toContain('Nothing was sent now.');
  });
});

describe('voxbatch say with another dialect of the API', () => {
  it.each([
    ['v1', 'legacy'],
    ['legacy', 'v1'],
  ] as const)('is the same job: what was asked for in %s is not sent again in %s', async (apiDialect, now) => {
    const batch = await add(SAY, { file, apiDialect });
    await writeFile('voxbatch.config.json', JSON.stringify({ apiDialect: now }));
    expect(await run(...SAID)).toMatchObject({ code: 0, stdout: `${batch}.mp3\n` });
    await add({ ...SAY, cells: { ...SAY.cells, text: 'Lost.' } }, { as: 'unknown', apiDialect });
    const lost = await run('say', 'Lost.', '--voice', 'anna');
    expect(lost).toMatchObject({ code: 13, stdout: '' });
    expect(lost.stderr).toContain('Nothing was sent now.');
  });
});

describe('--api-dialect of a single job', () => {
  it.each([
    ['v1', 'legacy'],
    ['legacy', 'v1'],
  ] as const)('refuses to pay in %s for what was asked for in %s', async (now, apiDialect) => {
    const batch = await add(SAY, { as: 'unknown', apiDialect });
    const refused = await run(...SAID, '--api-dialect', now);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`${apiDialect}, the dialect in which this was asked for before ("${batch}")`);
    expect(await run(...SAID, '--api-dialect', apiDialect)).toMatchObject({ code: 13 });
  });

  it('goes before the configuration, also for what the legacy paths lack', async () => {
    await writeFile('voxbatch.config.json', JSON.stringify({ apiDialect: 'legacy' }));
    const lacking = await run('transcribe', TALK);
    expect(lacking.stderr).toContain('stt rows need --api-dialect v1');
    const text = await place.store.put('job/1.txt', 'Good morning.');
    await add(TRANSCRIBE, { file: text, text: 'Good morning.' });
    const asked = await run('transcribe', TALK, '--api-dialect', 'v1');
    expect(asked).toMatchObject({ code: 0, stdout: 'Good morning.\n' });
  });
});

describe('voxbatch say under a limit on the length of texts that came later', () => {
  const text = 'Good morning to all of you.';
  const said = ['say', text, '--voice', 'anna'] as const;

  it.each([undefined, 'sentences'] as const)('hands out what is finished, with --split %s', async (split) => {
    const batch = await add({ ...SAY, cells: { ...SAY.cells, text }, ...(split && { split }) }, { file });
    await writeFile('voxbatch.config.json', JSON.stringify({ textLimit: 20 }));
    const flags = split === undefined ? [] : ['--split', split];
    expect(await run(...said, ...flags)).toMatchObject({ code: 0, stdout: `${batch}.mp3\n` });
  });

  it('refuses what is new', async () => {
    await writeFile('voxbatch.config.json', JSON.stringify({ textLimit: 20 }));
    const refused = await run(...said);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('a text of at most 20 characters');
  });
});

describe('voxbatch say of what was cleaned', () => {
  it('hands out the file if only what it asked for was removed', async () => {
    const batch = await add(SAY, { file });
    await run('clean', batch, '--rows', '--yes');
    expect(await run(...SAID)).toMatchObject({ code: 0, stdout: `${batch}.mp3\n` });
    const text = await place.store.put('job/1.txt', 'Good morning.');
    const talk = await add(TRANSCRIBE, { file: text, text: 'Good morning.' });
    await run('clean', talk, '--rows', '--yes');
    expect(await run('transcribe', TALK)).toMatchObject({ code: 0, stdout: 'Good morning.' });
  });

  it('says that the file was removed, and pays only with --again', async () => {
    const batch = await add(SAY, { file });
    await run('clean', batch, '--all', '--yes');
    // The test put it where no batch's folder is.
    await rm(join(place.folder, 'store', 'job/1.mp3'));
    const removed = await run(...SAID);
    expect(removed).toMatchObject({ code: 2, stdout: '' });
    expect(removed.stderr).toMatch(/was removed from the store.*Nothing was spent.*with --again\./);
  });

  it('says of one that failed after a charge that it needs --again', async () => {
    const batch = await add(SAY, { as: 'failed' });
    await run('clean', batch, '--all', '--yes');
    const held = await run(...SAID);
    expect(held.code).toBe(10);
    expect(held.stderr).toMatch(/Nothing was sent now.*the same command with --again\./s);
  });
});

describe('single jobs among batches', () => {
  it('are counted by list, and shown on request', async () => {
    const batch = await add(SAY, { file });
    expect((await run('list')).stderr).toContain('and 1 single job: voxbatch list --single');
    expect((await run('list', '--single')).stdout).toMatch(new RegExp(`^${batch} +finished`, 'm'));
    expect((await json('list', '--json')).value).toEqual([]);
    expect((await json('list', '--all', '--json')).value).toMatchObject([{ batch, single: 'say' }]);
    expect(await run('list', '--all', '--single')).toMatchObject({ code: 2 });
  });

  it('are explained, shown, written, verified and cleaned by their name', async () => {
    const batch = await add(SAY, { file });
    expect((await run('explain', batch)).stdout).toContain('Good morning.');
    expect(await run('status', batch)).toMatchObject({ code: 0 });
    expect(await run('results', batch)).toMatchObject({ code: 0 });
    expect(await run('verify', batch)).toMatchObject({ code: 0 });
    expect(await run('clean', batch, '--media', '--yes')).toMatchObject({ code: 0 });
  });
});
