import { describe, expect, it } from '@jest/globals';
import { report, saying } from '../support/batch-end.ts';
import { changeRate } from '../support/batch-record.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 60;
// On a busy machine all 60 rows were sent at 15/s before the rate was changed: nothing was left to cancel.
const RUN = ['run', 'lines.csv', '--rate', '2'];

/** What `stop --json` prints. */
interface Stopped {
  readonly state: string;
  readonly control: string | null;
  readonly in_flight: number;
  readonly credits_of_jobs: number;
  readonly jobs: readonly { readonly id: string; readonly job_id: string; readonly credits: number }[];
}

describe('stop --now', () => {
  let world: LiveWorld;

  async function open(server: boolean): Promise<void> {
    // Jobs outlive the test unless it lets them end. One paid request per row, so that rows and charges can be compared.
    const jobMs: [number, number] = [3_600_000, 3_600_000];
    world = await LiveWorld.open({
      seed: 61,
      createMs: [20, 200],
      jobMs,
      server,
      rows: ROWS,
      kinds: ['tts', 'lip-sync'],
    });
  }

  /** Waits for some paid requests; then so few are sent that a rest is left, however long a command takes. */
  async function untilUnderWay(): Promise<void> {
    await world.untilCharged(10);
    await changeRate(world, 'lines', 0.5);
  }

  async function stopNow(): Promise<Stopped> {
    const { code, stdout } = await world.run(['stop', '--now', '--json']);
    expect(code).toBe(0);
    return JSON.parse(stdout) as Stopped;
  }

  it('names what runs and what it costs, waits for none of it, and its results come later, free', async () => {
    await open(true);
    const running = world.start(RUN);
    await untilUnderWay();
    const stopped = await stopNow();
    const at = Date.now();
    const charged = world.simulator.ledger();
    expect(await running.ended).toMatchObject({ code: 13, stderr: saying('--where outcome=overdue') });
    report('stop --now', { jobs: stopped.jobs.length, msUntilTheRunEnded: Date.now() - at });
    expect(stopped).toMatchObject({ state: 'closed', control: null, in_flight: 0 });
    expect(stopped.jobs.map(({ job_id }) => job_id).toSorted()).toEqual(charged.map(({ jobId }) => jobId).toSorted());
    expect(world.simulator.ledger()).toHaveLength(charged.length);
    const end = {
      state: 'closed',
      exit: 'unknown',
      outcomes: { overdue: charged.length, cancelled: ROWS - charged.length },
    };
    expect(await world.status('lines')).toMatchObject(end);

    // Again, the other way round, and on a finished batch: it still lists them.
    const again = await world.run(['stop']);
    expect(again).toMatchObject({ code: 0, stderr: saying('is finished') });
    expect(again.stdout).toContain(`${charged.length} jobs are running at the API`);
    expect(await stopNow()).toEqual({ ...stopped, state: 'closed' });
    expect(await world.status('lines')).toMatchObject(end);

    await world.changeSimulator({ jobMs: [0, 0] });
    expect(await world.run(['redrive', 'lines', '--where', 'outcome=overdue', '--yes'])).toMatchObject({ code: 10 });
    expect(world.simulator.ledger()).toHaveLength(charged.length);
    expect(await world.status('lines')).toMatchObject({
      outcomes: { succeeded: charged.length, cancelled: ROWS - charged.length },
    });
    expect(await stopNow()).toMatchObject({ jobs: [], credits_of_jobs: 0 });
    expect(await world.run(['verify', 'out/lines'])).toMatchObject({ code: 0 });
  });

  it('where nobody works any more: the batch is closed without a worker or a server', async () => {
    await open(false);
    const running = world.start(RUN);
    await world.untilCharged(10);
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130 });
    await world.untilAlone();
    const { jobs, state } = await stopNow();
    expect({ state, jobs: jobs.length }).toEqual({ state: 'closed', jobs: world.simulator.ledger().length });
    expect(world.processes()).toEqual([]);
    expect(await world.run(RUN)).toMatchObject({ code: 13, stderr: saying('already finished') });
  });
});
