/** @slow */
import { afterEach, describe, expect, it } from '@jest/globals';
import type { BatchRecord, Counts } from '../../ledger/record-types.ts';
import type { SimulatorOptions } from '../../simulator/start-simulator.ts';
import { expectWhole } from '../support/batch-end.ts';
import { changeRate, untilRecorded } from '../support/batch-record.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 40;
const RUN = ['run', 'lines.csv', '--rate', '15'];

/** A matcher with a type. */
const saying = (text: string): unknown => expect.stringContaining(text);

describe('what a person must heal', () => {
  let world: LiveWorld;

  /** `'of its own'`: each command starts the server that it needs, and nothing is left where the last one has ended. */
  async function open(server: 'that is there' | 'of its own'): Promise<void> {
    const options: SimulatorOptions = { seed: 52, createMs: [20, 200], jobMs: [1_000, 2_500] };
    world = await (server === 'of its own' ? LiveWorld.create(options) : LiveWorld.withServer(options));
    // One paid request per row, so that rows and charges can be compared.
    await world.prepare(ROWS, ['tts', 'lip-sync']);
  }
  afterEach(async () => {
    await world.close();
  });

  it('out of credits in the background: it says so; topped up, `resume` goes on by itself', async () => {
    await open('of its own');
    await world.changeSimulator({ credits: 100 });
    expect(await world.run([...RUN, '--detach'])).toMatchObject({ code: 0 });
    await untilRecorded(world, 'lines', ({ pauseReason }) => pauseReason?.class === 'OutOfCredits');
    const paused = await world.run(['status', 'lines']);
    expect(paused).toMatchObject({ code: 12, stdout: saying('Top up the account, then: voxbatch resume lines') });
    // Too early, and twice: it tries, and pauses again.
    for (let twice = 0; twice < 2; twice++) expect(await world.run(['resume'])).toMatchObject({ code: 0 });
    // A refusal that is still on its way would pause the batch once more, after it has been told to go on.
    const isRefused = ({ pauseReason }: BatchRecord, { states }: Counts): boolean =>
      pauseReason?.class === 'OutOfCredits' && states.submitting === 0;
    await untilRecorded(world, 'lines', isRefused);
    await world.changeSimulator({ credits: 1_000_000 });
    expect(await world.run(['resume'])).toMatchObject({ code: 0 });
    await untilRecorded(world, 'lines', ({ state }) => state === 'closed');
    // The one that `--detach` started ends by itself, when it has written the files.
    await world.untilAlone();
    expect(await world.run(RUN)).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
  });

  it('token refused in the background: whoever works with it ends, so that a run with the right one is not paused again', async () => {
    await open('of its own');
    // So slow that it is not at its end before the command is.
    expect(await world.run(['run', 'lines.csv', '--rate', '0.5', '--detach'])).toMatchObject({ code: 0 });
    await changeRate(world, 'lines', 15);
    await world.untilCharged(20);
    await world.changeSimulator({ token: 'another-token' });
    await world.untilAlone();
    expect(await world.status('lines')).toMatchObject({ exit: 'api', control: 'paused' });
    await world.changeSimulator({ token: world.simulator.token });
    expect(await world.run(RUN)).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
  });

  it('a paid job is waited for again while rows that cannot be paid fill the window', async () => {
    await open('that is there');
    const polling = { firstLookMs: 300, gapMs: 300, jobDeadlineMinutes: 0.1 };
    await world.write('voxbatch.config.json', JSON.stringify({ polling }));
    await world.changePlan({ rules: [{ on: 'create', match: { nth: 1 }, fault: 'job-stuck' }] });
    await world.changeSimulator({ credits: 100 });
    expect(await world.run([...RUN, '--window', '8'])).toMatchObject({ code: 12 });
    const overdue = async (): Promise<number> => (await world.status('lines')).outcomes['overdue'] ?? 0;
    // Where the machine is busy, others may be late, too.
    expect(await overdue()).toBeGreaterThan(0);
    // It is looked at until it is overdue again; then the command ends.
    const again = await world.run(['redrive', 'lines', '--where', 'outcome=overdue', '--yes']);
    expect(again).toMatchObject({ code: 12 });
    expect(await overdue()).toBeGreaterThan(0);
  });
});
