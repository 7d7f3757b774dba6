import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SingleJob } from '../../../batches/single/single-job.ts';
import { encodeSilence } from '../../../simulator/media/encode-wav.ts';
import { placeAtSimulator } from '../place-for-each.ts';
import { addJob } from '../single/add-job.ts';
import { run, json } from '../command-line.ts';

/** What is said of voices that were made before, and of what cannot be sent; test/live/single-jobs.test.ts pays. */

const invocation = placeAtSimulator({
  atEnd: () => {
    expect(invocation.simulator.ledger()).toEqual([]);
    return Promise.resolve();
  },
});
const { place } = invocation;

const CREATE = ['voices', 'create', 'Ada', '--sample', 'ada.wav'] as const;

function ada(path = 'ada.wav'): SingleJob {
  const samples = JSON.stringify([join(invocation.line.folder, path)]);
  return { command: 'voice', kind: 'voice', cells: { name: 'Ada', samples } };
}

beforeEach(async () => {
  await writeFile('ada.wav', encodeSilence(1));
});

describe('voices create', () => {
  it('voxbatch voices create: gives the id of the voice again, wherever its recordings lie by now', async () => {
    const batch = await addJob(invocation.simulator, place, ada(), { voice: 'narrator' });
    expect(await run(...CREATE)).toEqual({
      code: 0,
      stdout: 'narrator\n',
      stderr: `Finished before, nothing was sent now. 7 credits charged. Record: voxbatch explain ${batch}\n`,
    });
    await mkdir('moved');
    await rename('ada.wav', 'moved/again.wav');
    const { code, value } = await json(
      ...['voices', 'create', '--name', 'Ada', '--audio', 'moved/again.wav', '--json'],
    );
    expect({ code, value }).toMatchObject({ code: 0, value: { batch, voice: 'narrator', credits: 7 } });
  });

  it('warns where the list does not have the voice any more, if the API can be asked', async () => {
    await addJob(invocation.simulator, place, ada(), { voice: 'gone' });
    const warned = await run(...CREATE);
    expect(warned).toMatchObject({ code: 0, stdout: 'gone\n', stderr: expect.stringContaining('with --again') });
    delete process.env['VOXBATCH_API_TOKEN'];
    expect((await run(...CREATE)).stderr).not.toContain('--again');
  });

  it('says how to go on where the answer was lost', async () => {
    await addJob(invocation.simulator, place, ada(), { as: 'unknown' });
    const { code, stdout, stderr } = await run(...CREATE);
    expect({ code, stdout }).toEqual({ code: 13, stdout: '' });
    expect(stderr).toContain('Find out, free: voxbatch reconcile voice-');
  });

  it.each([
    [['voices', 'create'], 'A voice needs a name: voxbatch voices create NAME --sample FILE.'],
    [['voices', 'create', 'Ada'], 'name at least one with --sample FILE.'],
    [['voices', 'create', 'Ada', '--name', 'Bob', '--sample', 'ada.wav'], 'The name is given twice'],
    [['voices', 'create', 'Ada', '--sample', 'text.wav'], 'text.wav: a file whose content is none of these'],
    [['voices', 'create', 'Ada', '--sample', 'none.wav'], 'none.wav: no such file'],
    [['voices', 'create', 'Ada', '--sample', 'long.wav'], 'expected 60 s of recordings at most'],
    [['voices', 'create', 'Ada', '--sample', 'ada.wav', 'ada.wav'], 'expected recordings that differ'],
    [['voices', 'create', 'Ada', '--sample', 'ada.wav', '--visibility', 'all'], 'visibility: expected'],
  ])('checks everything before anything is sent: %j', async (args, words) => {
    await writeFile('text.wav', 'not a sound');
    await writeFile('long.wav', encodeSilence(61));
    const { code, stderr } = await run(...args);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(words) });
    expect(stderr).toContain('Nothing was spent.');
  });
});

describe('voices preview', () => {
  it('voxbatch voices preview: is the job that say with this voice is, and names itself', async () => {
    const file = await place.store.put('job/1.mp3', 'ID3 the paid bytes');
    const said: SingleJob = { command: 'say', kind: 'tts', cells: { text: 'Good morning.', voice: 'anna' } };
    const batch = await addJob(invocation.simulator, place, said, { file });
    const { code, stdout } = await run('voices', 'preview', 'anna', 'Good morning.');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${batch}.mp3\n` });
    const faulty = await run('voices', 'preview', 'anna', '');
    expect(faulty).toMatchObject({ code: 2, stderr: expect.stringContaining('See: voxbatch voices preview --help') });
  });
});
