/** @slow */
import { expect, it } from '@jest/globals';
import type { SpeechApi, Voice } from '../../../api/speech-api.ts';
import type { VoiceWait } from '../../../contract/batch.ts';
import { waitFor } from '../../support/wait-for.ts';
import { BATCH, tts } from '../rows.ts';
import { createWorld } from '../world.ts';

const TRAINING: VoiceWait = { type: 'training', voice: 'v-1' };

/** The account's list: what it says of voice `v-1`, and how often it was read. */
class VoiceList {
  isInTraining = true;
  readings = 0;

  readonly listVoices: SpeechApi['listVoices'] = async function* (this: VoiceList): AsyncGenerator<Voice> {
    this.readings += 1;
    yield await Promise.resolve({ id: 'v-1', name: 'Ada', provider: '', isInTraining: this.isInTraining });
  }.bind(this);
}

it('rows of voices in training hold up nobody, are sent once the voice is ready, and share their looks', async () => {
  const world = await createWorld();
  const spec = { ...tts(), voice: 'v-1' };
  await world.fill([spec, spec, tts(), spec], { waits: [TRAINING, TRAINING, undefined, TRAINING] });
  const list = new VoiceList();
  const { listVoices } = list;
  const workers = [
    await world.worker({ api: () => ({ listVoices }) }),
    await world.worker({ api: () => ({ listVoices }) }),
  ];
  const lanes = workers.map((worker, at) => worker.work(BATCH, undefined, { lane: at + 1, lanes: 2 }));
  await waitFor(async () => (await world.row(3)).outcome === 'succeeded' && list.readings > 0);
  expect((await world.row()).state).toBe('blocked');
  expect(world.charges()).toHaveLength(1);
  list.isInTraining = false;
  await Promise.all(lanes);
  expect((await world.ledger.counts(BATCH)).outcomes.succeeded).toBe(4);
  expect(world.charges()).toHaveLength(4);
  // One reading for all rows of both lanes, and few of them.
  expect(list.readings).toBeLessThan(10);
});
