/** @slow */
import { describe, expect, it } from '@jest/globals';
import { expectWhole, report, saying } from '../support/batch-end.ts';
import { changeRate } from '../support/batch-record.ts';
import { LiveWorld } from '../support/live-world.ts';
import { mixedManifest } from '../support/mixed-manifest.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 60;
const SUBMITS = 8;
const RUN = ['run', 'lines.csv', '--rate', '15'];
/** A worker that has no patience ends with the request that hangs: its time-out is 180 s. One that has ends after 30 s. */
const END_WITHIN_MS = 120_000;

describe('an interrupt', () => {
  let world: LiveWorld;

  async function createWorld(createMs: [number, number]): Promise<void> {
    world = await LiveWorld.open({ seed: 61, createMs, jobMs: [1_000, 2_500], rows: ROWS, kinds: ['tts', 'lip-sync'] });
  }

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s finishes the requests on the wire, leaves no process, and ends with %d', async (signal, code) => {
    await createWorld([200, 600]);
    const running = world.start(['run', 'lines.csv', '--rate', '0.5']);
    await world.untilCharged(1);
    expect(world.processes()).toHaveLength(2);
    await changeRate(world, 'lines', 15);
    await world.untilCharged(20);
    const begun = performance.now();
    running.child.kill(signal);
    expect(await running.ended).toMatchObject({ code, stderr: saying('Continue with: voxbatch run lines.csv') });
    expect(world.processes()).toEqual([]);
    const { states } = await world.status('lines');
    report(signal, { ms: Math.round(performance.now() - begun), states });
    expect(states).toMatchObject({ submitting: 0 });
    expect(world.simulator.ledger().length).toBeLessThan(ROWS);
    expect(await world.run(RUN)).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
  });

  it('a closed window is as SIGTERM: nothing that was paid for is lost, no process is left, and the background goes on', async () => {
    await createWorld([1_500, 2_500]);
    const sync = ['run', 'lines.csv', '--tts', 'sync'];
    await world.write('lines.csv', mixedManifest(24, ['tts']));
    const window = world.start(sync, { inWindow: true });
    await world.untilCharged(SUBMITS);
    await window.kill();
    await world.untilAlone();
    expect(await world.read('ended')).toBe('143\n');
    const charged = world.simulator.ledger().length;
    expect(await world.status('lines')).toMatchObject({ outcomes: { unknown: 0, succeeded: charged } });
    expect(charged).toBeLessThan(24);
    // What was started in the background outlives the window.
    await world.run([...sync, '--detach'], { inWindow: true });
    expect(await world.read('ended')).toBe('0\n');
    await world.untilCharged(24);
    await world.untilAlone();
    expect(await expectWhole(world, 'lines', 24)).toMatchObject({ unknown: 0, charges: 24 });
  });

  it('a second Ctrl-C ends at once, leaves no process, and is safe', async () => {
    await createWorld([1_500, 2_500]);
    const running = world.start(['run', 'lines.csv', '--out', 'res']);
    await world.untilCharged(10);
    running.child.kill('SIGINT');
    await running.said('Finishing the requests in flight');
    const begun = performance.now();
    running.child.kill('SIGINT');
    const said = saying('Continue with: voxbatch run lines.csv --out res\n');
    expect(await running.ended).toMatchObject({ code: 130, stderr: said });
    const took = Math.round(performance.now() - begun);
    await world.untilAlone();
    const last = await world.run(['run', 'lines.csv']);
    const end = await expectWhole(world, 'lines', ROWS);
    report('second Ctrl-C', { ms: took, ...end });
    expect(last.code).toBe(end.unknown > 0 ? 13 : 0);
    expect(end.unknown).toBeLessThanOrEqual(SUBMITS);
  });

  it('a worker ends on SIGTERM before a paid request that hangs on the wire has timed out', async () => {
    await createWorld([20, 100]);
    // A speech job: a lost lip-sync might be found in the API's list.
    const hang = { kind: 'hang' as const, accepted: true };
    await world.changePlan({ rules: [{ on: 'create', operation: 'speech-job', match: { nth: 5 }, fault: hang }] });
    // The batch is there and its workflow runs, but whoever started it is dead.
    expect(await world.run(RUN, { dieAt: 'before-intent:1' })).toMatchObject({ signal: 'SIGKILL' });
    const worker = world.start(['worker']);
    await world.untilCharged(ROWS);
    const begun = performance.now();
    worker.child.kill('SIGTERM');
    const { code, stderr } = await worker.ended;
    const took = Math.round(performance.now() - begun);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(took).toBeLessThan(END_WITHIN_MS);
    expect(world.processes()).toEqual([]);
    const last = await world.run(RUN);
    const end = await expectWhole(world, 'lines', ROWS);
    report('SIGTERM of a worker while a request hangs', { ms: took, ...end });
    expect(last.code).toBe(13);
    expect(end.unknown).toBe(1);
  });

  it('before the manifest is read ends the server that was started meanwhile', async () => {
    const world = await LiveWorld.open({ seed: 5, rows: 6, kinds: ['tts'] });
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
