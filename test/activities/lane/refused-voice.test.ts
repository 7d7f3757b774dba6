/** @slow */
import { describe, expect, it } from '@jest/globals';
import type { SpeechApi } from '../../../api/speech-api.ts';
import type { VoiceWait } from '../../../contract/batch.ts';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import { sampleFolder, writeSample } from '../../support/samples.ts';
import { waitFor } from '../../support/wait-for.ts';
import { BATCH, tts } from '../rows.ts';
import { createWorld, type World } from '../world.ts';

const MADE: VoiceWait = { type: 'made', row: 1 };

/** A client that counts requests for speech, of a service whose voices stay in training until a test says so. */
class Training {
  isOver = false;
  requests = 0;
  looks = 0;

  clientOf(api: SpeechApi): Partial<SpeechApi> {
    return {
      listVoices: (...args) => {
        this.looks += 1;
        return api.listVoices(...args);
      },
      send: (request, ...rest) => {
        if (request.operation === 'voice') return api.send(request, ...rest);
        this.requests += 1;
        const spec = this.isOver ? { ...request.spec, voice: 'narrator' } : request.spec;
        return api.send({ ...request, spec }, ...rest);
      },
    };
  }
}

/** Row 1 makes a voice, row 2 has too long a text, rows 3 to 6 speak with the voice, and row 7 with another. */
async function worldInTraining(): Promise<World> {
  const world = await createWorld({
    ...{ shape: 'voice.training=untold', trainMs: [3_600_000, 3_600_000], textLimit: 50 },
  });
  const samples = [await writeSample(await sampleFolder(), 'a.wav')];
  const spoken = (text?: string): RowSpec => ({ ...tts(text), voice: 'name:Ada' });
  await world.fill(
    [
      { kind: 'voice', name: 'Ada', samples, extra: {} },
      spoken('x'.repeat(60)),
      ...[3, 4, 5, 6].map(() => spoken()),
      tts(),
    ],
    { waits: [undefined, MADE, MADE, MADE, MADE, MADE, undefined], limits: { submits: 1 } },
  );
  return world;
}

describe('rows of a voice in training of which the list does not say so', () => {
  it('are refused free, wait, and are tried one at a time until the voice is ready; others fail at once or go on', async () => {
    const world = await worldInTraining();
    const training = new Training();
    const worker = await world.worker({ api: (api) => training.clientOf(api) });
    const lane = worker.work();
    await waitFor(async () => (await world.row(3)).charges.length > 1);
    const { requests } = training;
    // Rows 2, 3 and 7, and then one a look.
    expect(requests).toBeLessThanOrEqual(3 + training.looks);
    expect(await world.row(2)).toMatchObject({ outcome: 'failed', failure: { class: 'BadRequest' } });
    expect(await world.row(7)).toMatchObject({ outcome: 'succeeded' });
    expect((await world.row(6)).state).toBe('blocked');
    expect(world.charges()).toHaveLength(2);
    training.isOver = true;
    await lane;
    expect((await world.ledger.counts(BATCH)).outcomes).toMatchObject({ succeeded: 6, failed: 1 });
    expect(world.charges()).toHaveLength(6);
    expect(await world.attempts(3)).toEqual(expect.arrayContaining(['speech 1 not-accepted']));
  });

  it('fail unpaid after an hour, with the words of the last refusal', async () => {
    const world = await worldInTraining();
    const lane = world.work();
    await waitFor(async () => (await world.row(3)).charges[0]?.state === 'not-accepted');
    const voice = (await world.row()).text ?? '';
    const watch = { watchedMs: 3_600_000, silentMs: 0, wasRead: true };
    const { ledger } = world;
    // Each time, as one may be on its way when the others are given up.
    await waitFor(async () => {
      await ledger.settleVoices([{ batch: BATCH, voice, then: 'look-again', lookedAt: Date.now(), dueAt: 0, watch }]);
      return (await ledger.counts(BATCH)).outcomes.failed === 5;
    });
    await lane;
    for (const row of [3, 4, 5, 6]) {
      const { outcome, failure } = await world.row(row);
      expect([outcome, failure?.class]).toEqual(['failed', 'NoVoice']);
      expect(failure?.message).toMatch(
        /still refused after 60 minutes; nothing was charged .*Voice is still in training/,
      );
    }
    // The voice, and row 7.
    expect(world.charges()).toHaveLength(2);
  });
});
