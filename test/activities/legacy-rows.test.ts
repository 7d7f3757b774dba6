/** @slow */
import { describe, expect, it } from '@jest/globals';
import type { RowSpec } from '../../contract/row-kinds.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { sampleFolder, writeSample } from '../support/samples.ts';
import { waitFor } from '../support/wait-for.ts';
import { BATCH, keyOf, tts, lipSync } from './rows.ts';
import { movableClock } from './worker.ts';
import { createWorld, begin } from './world.ts';

const legacy = (spec: RowSpec): RowSpec => ({ ...spec, dialect: 'legacy' });
const LEGACY_HANG = { on: 'create', operation: 'lip-sync-job', fault: { kind: 'hang', accepted: true } } as const;

describe('rows of the legacy dialect', () => {
  it('POST /api/open/tts: speaks at once, whatever the batch says of jobs', async () => {
    const { world, worker } = await begin([
      legacy(tts()),
      legacy({ ...tts(), format: 'wav', speed: 1.5, language: 'en' }),
    ]);
    for (const row of [1, 2]) {
      await worker.drive(row);
      expect(await world.row(row)).toMatchObject({ outcome: 'succeeded', charges: [{ state: 'done', jobId: null }] });
    }
    expect(world.charges()).toMatchObject([
      { operation: 'speech-sync', dialect: 'legacy', voiceId: 'narrator' },
      { operation: 'speech-sync', dialect: 'legacy' },
    ]);
    expect((await world.statistics()).endpoints).toMatchObject({ 'POST /api/open/tts': { 200: 2 } });
  });

  it('POST /api/open/lip-sync/create: one worker has rows of both dialects, and each stays in its own', async () => {
    const { world, worker } = await begin([legacy(lipSync(1)), lipSync(2)], { jobMs: [50, 100] });
    await worker.drive(1, 2);
    expect([(await world.row()).outcome, (await world.row(2)).outcome]).toEqual(['succeeded', 'succeeded']);
    expect(world.charges().map(({ dialect = 'v1', videoUrl }) => [dialect, videoUrl])).toEqual([
      ['legacy', lipSync(1).video],
      ['v1', lipSync(2).video],
    ]);
    const routes = Object.keys((await world.statistics()).endpoints);
    expect(routes).toEqual(expect.arrayContaining(['GET /api/open/lip-sync/query', 'GET /media/lip-sync/jobs/:id']));
  });

  it('GET /api/open/lip-sync/list: finds a create whose answer was lost', async () => {
    const { world } = await begin([legacy(lipSync())], { rules: [LEGACY_HANG], echoInputs: true });
    const at = keyOf(1, 1, 'lip-sync');
    void (await world.worker()).submit(at);
    await waitFor(() => world.charges().length === 1);
    const worker = await world.worker();
    expect(await worker.reconcile(at)).toMatchObject({ verdict: 'accepted' });
    await worker.drive(1);
    expect((await world.row()).charges[0]?.jobId).toBe(world.charges()[0]?.jobId);
    const { endpoints, paidRequests } = await world.statistics();
    expect(paidRequests).toBe(1);
    expect(Object.keys(endpoints).filter((route) => route.includes(' /media/'))).toEqual([]);
  });

  it('POST /api/open/create-model: makes a voice, and the list of models finds one whose answer was lost', async () => {
    const rules = [{ on: 'create', match: { nth: 2 }, fault: 'reset-after' }] as const;
    const world = await createWorld({ rules: [...rules] });
    const samples = [await writeSample(await sampleFolder(), 'a.wav')];
    await world.fill(['Anna', 'Ben'].map((name) => legacy({ kind: 'voice', name, samples, extra: {} })));
    const worker = await world.worker();
    await worker.drive(1, 2);
    const made = world.charges().map(({ dialect, jobId }) => [dialect, jobId]);
    expect(made).toEqual([
      ['legacy', (await world.row()).text],
      ['legacy', (await world.row(2)).text],
    ]);
    const { endpoints } = await world.statistics();
    expect(Object.keys(endpoints).filter((route) => route.includes(' /voices'))).toEqual([]);
  });

  it('POST /api/open/tts: a 429 that says so pauses the batch, and one that says nothing does after eight', async () => {
    for (const [message, requests] of [
      ['Not enough credits', 1],
      ['Request refused', 8],
    ] as const) {
      const fault = { kind: 'status', status: 429, message } as const;
      // Without a code, which would tell.
      const { world } = await begin([legacy(tts())], { rules: [{ on: 'create', fault }], shape: 'legacy.error=bare' });
      const clock = movableClock();
      const worker = await world.worker({ clock });
      const batch = async (): Promise<BatchRecord | undefined> => world.ledger.findBatch(BATCH);
      // A pause for all requests may come between an intent and its moment; that attempt is not one of the eight.
      for (let attempt = 1; (await batch())?.control === 'running' && attempt < 20; attempt++) {
        await worker.submit(keyOf(1, attempt));
        // Whatever pause the refusal brought is over.
        clock.move({ wall: 600_000, monotonic: 600_000 });
      }
      expect(await batch()).toMatchObject({ control: 'paused', pauseReason: { class: 'OutOfCredits', status: 429 } });
      expect(await world.row()).toMatchObject({ outcome: null });
      expect(world.charges()).toEqual([]);
      expect(await world.paidRequests()).toBe(requests);
    }
  });
});
