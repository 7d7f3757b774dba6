import { describe, expect, it } from '@jest/globals';
import type { RowSpec } from '../../contract/row-kinds.ts';
import type { FaultPlan } from '../../simulator/start-simulator.ts';
import { createWorld, begin, type World } from './world.ts';

const FACE = 'https://media.example/face.mp4';

function videoDubbing(text: string): RowSpec {
  return { kind: 'video-dubbing', text, voice: 'narrator', video: FACE, extra: {} };
}

/** Rows of video dubbing, each worked on until it has ended. */
async function runAll(texts: readonly string[], rules: NonNullable<FaultPlan['rules']> = []): Promise<World> {
  const { world, worker } = await begin(texts.map(videoDubbing), { rules });
  for (const index of texts.keys()) expect(await worker.drive(index + 1)).toEqual({ type: 'ended' });
  return world;
}

describe('video dubbing', () => {
  it('makes a video of text, voice and video by one paid job a row', async () => {
    const texts = ['Today we fold a paper crane.', '今日は鶴を折ります。', 'And tomorrow a boat.'];
    const world = await runAll(texts);
    expect(
      world.charges().map(({ operation, text, voiceId, videoUrl }) => [operation, text, voiceId, videoUrl]),
    ).toEqual(texts.map((text) => ['video-dubbing-job', text, 'narrator', FACE]));
    for (const [index] of texts.entries()) {
      const row = await world.row(index + 1);
      expect(row).toMatchObject({ outcome: 'succeeded', file: { key: expect.stringMatching(/\.mp4$/) } });
      expect(row.charges).toMatchObject([
        { step: 'video-dubbing', state: 'accepted', jobId: world.charges()[index]?.jobId, failure: null },
      ]);
      // What the ledger counts is what was charged, and what was quoted.
      expect(row.charges[0]?.charged).toBe(world.charges()[index]?.credits);
      expect(row.charges[0]?.quoted).toBe(world.charges()[index]?.credits);
    }
  });

  it('holds a row whose answer was lost: the API has no list, and it is not sent again', async () => {
    const world = await runAll(['lost', 'next'], [{ on: 'create', match: { text: 'lost' }, fault: 'reset-after' }]);
    expect((await world.row()).outcome).toBe('unknown');
    expect((await world.row(2)).outcome).toBe('succeeded');
    expect(world.charges().map(({ text }) => text)).toEqual(['lost', 'next']);
    expect((await world.statistics()).endpoints).not.toHaveProperty(['GET /media/video-dubbing/jobs']);
  });

  it('ends with the words of the API where the job fails, or its voice is not known', async () => {
    const world = await runAll(
      ['fails'],
      [{ on: 'create', fault: { kind: 'job-fails', message: 'No face was found' } }],
    );
    expect(await world.row()).toMatchObject({
      outcome: 'failed',
      failure: { class: 'JobFailed', message: expect.stringContaining('No face was found') },
    });
    const refused = await createWorld();
    await refused.fill([{ ...videoDubbing('x'), voice: 'nobody' }]);
    expect(await (await refused.worker()).drive(1)).toEqual({ type: 'ended' });
    expect((await refused.row(1)).failure?.class).toBe('BadRequest');
    expect(refused.charges()).toEqual([]);
  });
});
