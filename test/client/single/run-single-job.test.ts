import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sayJob } from '../../../client/single/build-single-job.ts';
import { openVoxbatch, type Voxbatch } from '../../../client/voxbatch.ts';
import type { Dialect } from '../../../contract/dialects.ts';
import { placeAtSimulator } from '../../starters/command-line.ts';
import { addJob } from '../../starters/single/add-job.ts';

const TALK = 'https://media.example/talk.mp3?seconds=2';
const TEXT = 'Good morning.';

const world = placeAtSimulator();
const { place } = world;
let voxbatch: Voxbatch;
beforeEach(() => {
  const { url, token } = world.simulator;
  voxbatch = openVoxbatch({
    api: { url, token },
    home: place.folder,
    config: { apiDialect: 'legacy', confirmAbove: 0 },
  });
});
afterEach(() => voxbatch.close());

describe('apiDialect of a single job of the library', () => {
  it('goes before the configuration, also for what the legacy paths lack', async () => {
    expect(await voxbatch.transcribe(TALK)).toMatchObject({ type: 'faulty', problems: [{ code: 'not-in-dialect' }] });
    const asked = await voxbatch.transcribe(TALK, { apiDialect: 'v1', assumeSeconds: 2, confirm: () => false });
    expect(asked).toMatchObject({ type: 'declined' });
  });

  it.each(['v1', 'legacy'] as const)('%s keeps what was asked for in it: another one is refused', async (recorded) => {
    await addJob(world.simulator, place, sayJob(TEXT, { voice: 'anna' }), {
      as: 'unknown',
      apiDialect: recorded,
    });
    const say = (apiDialect?: Dialect) => voxbatch.say(TEXT, { voice: 'anna', ...(apiDialect && { apiDialect }) });
    expect(await say()).toMatchObject({ type: 'held', why: 'unknown' });
    expect(await say(recorded)).toMatchObject({ type: 'held', why: 'unknown' });
    const other = recorded === 'v1' ? 'legacy' : 'v1';
    await expect(say(other)).rejects.toMatchObject({ problem: { type: 'bad-option', got: JSON.stringify(other) } });
  });

  it('is refused where the API has no such dialect, or only a share of rows could have it', async () => {
    for (const odd of ['v2', 'legacy=20%']) {
      const said = voxbatch.say(TEXT, { voice: 'anna', apiDialect: odd as Dialect });
      await expect(said).rejects.toMatchObject({ problem: { type: 'bad-option', option: 'apiDialect' } });
    }
  });
});
