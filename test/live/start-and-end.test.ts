import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { expectWhole } from '../support/batch-end.ts';
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

  it('is gone with a command whose manifest is no good, and nothing was sent', async () => {
    await world.write('bad.csv', 'id,text,voice\na,,\n');
    expect(await world.run(['run', 'bad.csv'])).toMatchObject({ code: 2 });
    expect(world.processes()).toEqual([]);
    expect(existsSync(world.path('.voxbatch', 'server.json'))).toBe(false);
    expect((await world.statistics()).endpoints).toEqual({});
    // What it left behind is in nobody's way.
    expect(await world.run(['run', 'lines.csv'])).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', 6)).toMatchObject({ unknown: 0 });
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

  it('is not started for a batch that is finished; its home is for its user alone, also one that was open to others', async () => {
    mkdirSync(world.path('.voxbatch'), { mode: 0o755 });
    expect(await world.run(['run', 'lines.csv'])).toMatchObject({ code: 0 });
    const log = world.path('.voxbatch', 'logs', 'temporal.log');
    const { mtimeMs } = statSync(log);
    expect(await world.run(['run', 'lines.csv'])).toMatchObject({ code: 0 });
    expect(statSync(log).mtimeMs).toBe(mtimeMs);
    const names = ['', ...readdirSync(world.path('.voxbatch')), 'logs/temporal.log', 'logs/worker.log'];
    expect(names).toEqual(expect.arrayContaining(['ledger.db', 'ledger.db.lock', 'temporal.db', 'lock', 'store']));
    const open = names.filter((name) => (statSync(world.path('.voxbatch', name)).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });
});
