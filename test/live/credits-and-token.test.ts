/** @slow */
import { describe, expect, it } from '@jest/globals';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Counts } from '../../ledger/batches/counts.ts';
import { expectWhole, saying } from '../support/batch-end.ts';
import { changeRate, untilRecorded } from '../support/batch-record.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 40;
/** One paid request per row, so that rows and charges can be compared. */
const KINDS = ['tts', 'lip-sync'];
const RUN = ['run', 'lines.csv', '--rate', '15'];

describe('what a person must heal', () => {
  /** With `server`, commands find one; else each starts its own, and nothing is left where the last one has ended. */
  const open = (server: boolean): Promise<LiveWorld> =>
    LiveWorld.open({ ...{ seed: 52, createMs: [20, 200], jobMs: [1_000, 2_500], server }, rows: ROWS, kinds: KINDS });

  it('out of credits in the background: it says so; topped up, `resume` goes on by itself', async () => {
    const world = await open(false);
    await world.changeSimulator({ credits: 100 });
    expect(await world.run([...RUN, '--detach'])).toMatchObject({ code: 0 });
    await untilRecorded(world, 'lines', ({ pauseReason }) => pauseReason?.class === 'OutOfCredits');
    const paused = await world.run(['status', 'lines']);
    expect(paused).toMatchObject({ code: 12, stdout: saying('Top up the account, then: voxbatch resume lines') });
    // Too early, and twice: it tries, and pauses again, perhaps before the command has ended.
    for (let twice = 0; twice < 2; twice++) expect([0, 12]).toContain((await world.run(['resume'])).code);
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
    const world = await open(false);
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
    const world = await open(true);
    const polling = { firstLookMs: 300, gapMs: 300, jobDeadlineMinutes: 0.1 };
    await world.configure({ polling });
    await world.changePlan({ rules: [{ on: 'create', match: { nth: 1 }, fault: 'job-stuck' }] });
    await world.changeSimulator({ credits: 100 });
    expect(await world.run([...RUN, '--window', '8'])).toMatchObject({ code: 12 });
    const overdue = async (): Promise<number> => (await world.status('lines')).outcomes['overdue'] ?? 0;
    // Where the machine is busy, others may be late, too.
    expect(await overdue()).toBeGreaterThan(0);
    // It is looked at until it is overdue again; then the command ends.
    expect(await world.run(['redrive', 'lines', '--where', 'outcome=overdue', '--yes'])).toMatchObject({ code: 12 });
    expect(await overdue()).toBeGreaterThan(0);
  });
});
