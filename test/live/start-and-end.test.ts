import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LiveWorld } from '../support/live-world.ts';
import { waitFor } from '../support/wait-for.ts';

describe('a server that is started before the manifest is read', () => {
  let world: LiveWorld;

  beforeEach(async () => {
    world = await LiveWorld.create({ seed: 5, createMs: [5, 20], jobMs: [200, 500] });
    await world.prepare(6, ['tts']);
  });
  afterEach(async () => {
    await world.close();
  });

  it('is gone with a command that is told to end before it has begun its work', async () => {
    // The profile never comes, so the command stays where it has a server and no work.
    await world.changePlan({ rules: [{ on: 'profile', fault: 'hang' }] });
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
      ['SIGHUP', 143],
    ] as const) {
      const { child, ended } = world.start(['run', 'lines.csv']);
      await waitFor(async () => (await world.server()) !== undefined);
      child.kill(signal);
      expect(await ended).toMatchObject({ code });
      expect(world.processes()).toEqual([]);
    }
    expect(world.charges().size).toBe(0);
  });
});
