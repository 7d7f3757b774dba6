/** @slow */
import { describe, expect, it } from '@jest/globals';
import { runLane } from '../../../activities/lane/run-lane.ts';
import type { SpeechApi, Voice } from '../../../api/speech-api.ts';
import type { VoiceWait } from '../../../contract/batch.ts';
import { BATCH, tts } from '../rows.ts';
import type { Worker } from '../worker.ts';
import { createWorld, type World } from '../world.ts';
import { waitFor } from '../../support/wait-for.ts';

const TRAINING: VoiceWait = { type: 'training', voice: 'v-1' };
const never = new AbortController().signal;

/** The account's list: what it says of voice `v-1`, and how often it was read. */
class VoiceList {
  isInTraining = true;
  readings = 0;

  readonly listVoices: SpeechApi['listVoices'] = async function* (this: VoiceList): AsyncGenerator<Voice> {
    this.readings += 1;
    yield await Promise.resolve({ id: 'v-1', name: 'Ada', provider: '', isInTraining: this.isInTraining });
  }.bind(this);
}

function workerWith(world: World, list: VoiceList): Promise<Worker> {
  return world.worker({ change: ({ api }) => ({ api: { ...api, ...apiOf(api), listVoices: list.listVoices } }) });
}

/** The methods of a client, as members of a plain object. */
function apiOf(api: SpeechApi): SpeechApi {
  return {
    ...api,
    send: (...args) => api.send(...args),
    readJob: (...args) => api.readJob(...args),
    download: (...args) => api.download(...args),
  };
}

describe('rows of voices in training', () => {
  it('hold up nobody, are sent once the voice is ready, and share their looks', async () => {
    const world = await createWorld();
    const spec = { ...tts(), voice: 'v-1' };
    await world.fill([spec, spec, tts(), spec], { waits: [TRAINING, TRAINING, undefined, TRAINING] });
    const list = new VoiceList();
    const [one, other] = [await workerWith(world, list), await workerWith(world, list)];
    const lanes = [one, other].map(({ deps }, at) =>
      runLane(deps, { batch: BATCH, lane: at + 1, lanes: 2, run: 'run' }, never, () => undefined),
    );
    await waitFor(async () => (await world.row(3)).outcome === 'succeeded' && list.readings > 0);
    expect((await world.row(1)).state).toBe('blocked');
    expect(world.charges()).toHaveLength(1);
    list.isInTraining = false;
    await Promise.all(lanes);
    expect((await (await world.look()).counts(BATCH)).outcomes.succeeded).toBe(4);
    expect(world.charges()).toHaveLength(4);
    // One reading for all rows of both lanes, and few of them.
    expect(list.readings).toBeLessThan(10);
  });
});
