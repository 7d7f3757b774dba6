import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connectApi, realmOf } from '../../client/connect-api.ts';
import { openVoxbatch, type Voxbatch } from '../../client/voxbatch.ts';
import { sayJob } from '../../client/single/build-single-job.ts';
import { addJob } from '../starters/single/add-job.ts';
import { placeAtSimulator } from '../starters/command-line.ts';

/** What the library knows of the longest texts that the API takes. */

const LONG = 'All is well here. '.repeat(100).trim();
const world = placeAtSimulator();
const { place } = world;
let voxbatch: Voxbatch;

const open = (textLimit?: number): Voxbatch =>
  openVoxbatch({
    api: { url: world.simulator.url, token: world.simulator.token },
    home: place.folder,
    config: textLimit === undefined ? {} : { textLimit },
  });

beforeEach(() => {
  voxbatch = open();
});
afterEach(() => voxbatch.close());

describe('the library', () => {
  it('checks a manifest with the limits that were learnt', async () => {
    const manifest = join(place.folder, 'long.csv');
    await writeFile(manifest, `id,text,voice\na,${LONG},anna\n`);
    expect(await voxbatch.check(manifest)).toMatchObject({ type: 'sound' });
    const api = await connectApi({ baseUrl: world.simulator.url, token: world.simulator.token });
    api.api.close();
    await place.ledger.noteTextLimit(realmOf(api), 'speech-job', 600);
    expect(await voxbatch.check(manifest)).toMatchObject({ type: 'faulty', summary: { problemCount: 1 } });
  });

  it('gives the result of a text on record under a later limit, and refuses a new one', async () => {
    const file = await place.store.put('said.mp3', 'sound');
    await addJob(world.simulator, place, sayJob(LONG, { voice: 'anna' }), { file });
    const later = open(600);
    expect(await later.say(LONG, { voice: 'anna' })).toMatchObject({ type: 'done', job: { outcome: 'succeeded' } });
    expect(await later.say(`${LONG} More.`, { voice: 'anna' })).toMatchObject({ type: 'faulty' });
    await later.close();
  });
});
