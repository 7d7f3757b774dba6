import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SingleJob } from '../../../batches/single/single-job.ts';
import { encodeSilence } from '../../../simulator/media/encode-wav.ts';
import { expectRefused, expectRun, json, placeAtSimulator, run } from '../command-line.ts';
import { addJob, type JobEnd } from '../single/add-job.ts';

/** What is said of voices that were made before, and of what cannot be sent; test/live/single-jobs.test.ts pays. */

const world = placeAtSimulator();
const { place } = world;

const CREATE = 'voices create Ada --sample ada.wav';

/** Ada's voice was asked for before, which ended so. */
function add(end: JobEnd): Promise<string> {
  const samples = JSON.stringify([join(process.cwd(), 'ada.wav')]);
  const ada: SingleJob = { command: 'voice', kind: 'voice', cells: { name: 'Ada', samples } };
  return addJob(world.simulator, place, ada, end);
}

beforeEach(() => writeFile('ada.wav', encodeSilence(1)));

describe('voices create', () => {
  it('voxbatch voices create: gives the id of the voice again, wherever its recordings lie by now', async () => {
    const batch = await add({ voice: 'narrator' });
    const told = `Finished before. 7 credits charged. Nothing was sent now. Record: voxbatch explain ${batch}\n`;
    expect(await run(CREATE)).toEqual({ code: 0, stdout: 'narrator\n', stderr: told });
    await mkdir('moved');
    await rename('ada.wav', 'moved/again.wav');
    const value = { batch, voice: 'narrator', credits: 7 };
    expect(await json('voices create --name Ada --audio moved/again.wav')).toMatchObject({ code: 0, value });
  });

  it('warns where the list does not have the voice any more, if the API can be asked', async () => {
    await add({ voice: 'gone' });
    await expectRun(CREATE, 0, { out: /^gone\n$/, err: 'with --again' });
    delete process.env['VOXBATCH_API_TOKEN'];
    await expectRun(CREATE, 0, { not: '--again' });
  });

  it('says how to go on where the answer was lost', async () => {
    await add({ as: 'unknown' });
    await expectRun(CREATE, 13, { out: '', err: 'Find out, free: voxbatch reconcile voice-' });
  });

  it.each([
    ['', 'A voice needs a name: voxbatch voices create NAME --sample FILE.'],
    ['Ada', 'name at least one with --sample FILE.'],
    ['Ada --name Bob --sample ada.wav', 'The name is given twice'],
    ['Ada --sample text.wav', 'text.wav: a file whose content is none of these'],
    ['Ada --sample none.wav', 'none.wav: no such file'],
    ['Ada --sample long.wav', 'expected 60 s of recordings at most'],
    ['Ada --sample ada.wav ada.wav', 'expected recordings that differ'],
    ['Ada --sample ada.wav --visibility all', 'visibility: expected'],
  ])('checks everything before anything is sent: "%s"', async (words, said) => {
    await writeFile('text.wav', 'not a sound');
    await writeFile('long.wav', encodeSilence(61));
    await expectRefused(`voices create ${words}`, said);
  });
});
