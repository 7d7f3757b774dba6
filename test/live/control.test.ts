/** @slow */
import { describe, expect, it } from '@jest/globals';
import { expectWhole, report, saying } from '../support/batch-end.ts';
import { changeRate } from '../support/batch-record.ts';
import { LiveWorld, type WorldOptions } from '../support/live-world.ts';
import { mixedManifest } from '../support/mixed-manifest.ts';

const ROWS = 60;
/** One paid request per row, so that rows and charges can be compared. */
const KINDS = ['tts', 'lip-sync'];
const RUN = ['run', 'lines.csv', '--rate', '5'];

describe('controlling a batch that runs', () => {
  let world: LiveWorld;

  async function open(server: boolean): Promise<void> {
    const options: WorldOptions = { seed: 51, createMs: [20, 200], jobMs: [1_000, 2_500], rows: ROWS, kinds: KINDS };
    world = await LiveWorld.open({ ...options, server });
  }

  /** Expects that no paid request came after the acknowledgement, and that what was paid for is fetched. */
  async function expectStill(acknowledgedAt: number, paid: number): Promise<void> {
    const status = await world.status('lines');
    const late = world.simulator.ledger().filter(({ at }) => at > acknowledgedAt);
    report('paused', {
      paid,
      paidAfterTheAcknowledgement: late.length,
      fetched: status.outcomes['succeeded'],
      msSinceTheAcknowledgement: Date.now() - acknowledgedAt,
    });
    expect(late).toEqual([]);
    expect(world.simulator.ledger()).toHaveLength(paid);
    expect(status).toMatchObject({ control: 'paused', outcomes: { succeeded: paid } });
  }

  /** Waits for some paid requests; then so few are sent that commands are in time, on a busy machine, too. */
  async function untilUnderWay(): Promise<void> {
    await world.untilCharged(20);
    await changeRate(world, 'lines', 0.5);
  }

  /** Lets the rest go quickly. */
  async function resume(): Promise<void> {
    await changeRate(world, 'lines', 60);
    expect(await world.run(['resume'])).toMatchObject({ code: 0 });
  }

  async function pause(): Promise<{ readonly at: number; readonly paid: number }> {
    expect(await world.run(['pause'])).toMatchObject({ code: 0 });
    return { at: Date.now(), paid: world.simulator.ledger().length };
  }

  it('pause: nothing is paid after its acknowledgement, what runs is fetched, and the command ends (75)', async () => {
    await open(true);
    const running = world.start(RUN);
    await untilUnderWay();
    const { at, paid } = await pause();
    expect(paid).toBeLessThan(ROWS);
    expect(await world.run(['pause', 'lines'])).toMatchObject({ code: 0 });
    expect(await running.ended).toMatchObject({ code: 75, stderr: saying('is paused') });
    await expectStill(at, paid);

    // Again: it says so and ends.
    expect(await world.run(RUN)).toMatchObject({ code: 75, stderr: saying('voxbatch resume lines') });
    expect(world.simulator.ledger()).toHaveLength(paid);

    for (let twice = 0; twice < 2; twice++) await resume();
    expect(await world.run(RUN)).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0 });
    for (const command of ['pause', 'resume', 'stop']) {
      expect(await world.run([command, 'lines'])).toMatchObject({ code: 0, stderr: saying('is finished') });
    }
    expect(await world.run(RUN)).toMatchObject({ code: 0 });
    expect(world.charges().size).toBe(ROWS);
  });

  it('paused, then killed, then run again: still paused, and what ran is fetched', async () => {
    await open(false);
    const running = world.start(RUN);
    await untilUnderWay();
    const { at, paid } = await pause();
    await running.kill();
    expect(await world.run(RUN)).toMatchObject({ code: 75, stderr: saying('is paused') });
    await expectStill(at, paid);
    await resume();
    expect(await world.run(RUN)).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0 });
  });

  it('stop: what runs is fetched, the rest is cancelled (10)', async () => {
    await open(true);
    const running = world.start(RUN);
    await untilUnderWay();
    expect(await world.run(['stop'])).toMatchObject({ code: 0 });
    const paid = world.simulator.ledger().length;
    expect(await world.run(['stop', 'lines'])).toMatchObject({ code: 0 });
    expect(await running.ended).toMatchObject({ code: 10 });
    expect(world.simulator.ledger()).toHaveLength(paid);
    expect(await world.status('lines')).toMatchObject({
      state: 'closed',
      exit: 'failures',
      outcomes: { succeeded: paid, cancelled: ROWS - paid },
    });
    expect((await world.results('lines')).size).toBe(ROWS);
    expect(await world.run(['stop', 'lines'])).toMatchObject({ code: 0 });
    expect(await world.run(RUN)).toMatchObject({ code: 10 });
    expect(world.simulator.ledger()).toHaveLength(paid);
  });

  it('a second run of the same batch follows it; another batch runs beside it', async () => {
    await open(false);
    // Rows of its own: it would have the results of the first batch otherwise.
    await world.write('others.csv', mixedManifest(40, KINDS).replaceAll('this batch', 'another batch'));
    const both = [world.start(RUN), world.start(['run', 'others.csv'])];
    await world.untilCharged(10);
    const second = world.start(RUN);
    const ends = await Promise.all([...both, second].map((running) => running.ended));
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
    expect(await expectWhole(world, 'others', 40)).toMatchObject({ unknown: 0, charges: 40 });
    expect(world.processes()).toEqual([]);
  });
});
