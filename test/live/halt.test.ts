/** @slow */
import { describe, expect, it } from '@jest/globals';
import type { FaultPlan } from '../../simulator/fault-plan.ts';
import { report, saying } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 60;
const NEVER_MS = 3_600_000;
const RUN = ['run', 'lines.csv', '--rate', '15'];

type Rule = NonNullable<FaultPlan['rules']>[number];

/** Every fourth request is refused for good. */
const REFUSED: Rule = { on: 'create', match: { every: 4 }, fault: { kind: 'status', status: 400 } };

describe('a batch whose rows fail', () => {
  let world: LiveWorld;

  async function open(fault: Rule, jobMs: [number, number], rows = ROWS): Promise<void> {
    world = await LiveWorld.open({
      server: true,
      seed: 64,
      createMs: [20, 100],
      jobMs,
      plan: { rules: [fault] },
      rows,
      kinds: ['tts', 'lip-sync'],
    });
  }

  const paid = (): number => world.simulator.ledger().length;

  it('soon: fetches what runs, cancels the rest (11); its rows can be sent later', async () => {
    await open(REFUSED, [500, 1_500]);
    const ended = await world.run([...RUN, '--halt', 'soon,fail=5']);
    expect(ended).toMatchObject({ code: 11, stderr: saying('failed, the threshold of --halt soon,fail=5') });
    const before = paid();
    const { outcomes, ...status } = await world.status('lines');
    report('halted', outcomes);
    expect(status).toMatchObject({ state: 'closed', exit: 'halted' });
    expect(outcomes['succeeded']).toBe(before);
    // What was on the wire when the fifth failed may fail, too.
    expect(outcomes['failed']).toBeGreaterThanOrEqual(5);
    expect(outcomes['failed']).toBeLessThanOrEqual(5 + 8);
    expect(outcomes['cancelled']).toBe(ROWS - before - (outcomes['failed'] ?? 0));
    expect(await world.run(RUN)).toMatchObject({ code: 11 });
    expect(await world.run(['tune', '--halt', 'never'])).toMatchObject({ code: 0 });
    expect(paid()).toBe(before);

    await world.changePlan({ rules: [] });
    expect(await world.run(['redrive', 'lines', '--where', 'outcome=cancelled', '--yes'])).toMatchObject({ code: 10 });
    expect(await world.run(['redrive', 'lines', '--where', 'outcome=failed', '--yes'])).toMatchObject({ code: 0 });
    expect(paid()).toBe(ROWS);
  });

  it('now: waits for nothing, and keeps the ids of the jobs', async () => {
    await open(REFUSED, [NEVER_MS, NEVER_MS]);
    expect(await world.run([...RUN, '--halt', 'now,fail=3'])).toMatchObject({ code: 11 });
    const { outcomes } = await world.status('lines');
    expect(paid()).toBeGreaterThan(0);
    expect(outcomes['overdue']).toBe(paid());
    const { stdout } = await world.run(['stop', '--json']);
    expect((JSON.parse(stdout) as { readonly jobs: readonly unknown[] }).jobs).toHaveLength(outcomes['overdue'] ?? 0);
  });

  it('pauses by itself where the results of the first rows cannot be fetched, and goes on when told', async () => {
    const rows = 100;
    await open({ on: 'download', fault: { kind: 'status', status: 403 } }, [100, 500], rows);
    const run = ['run', 'lines.csv', '--window', '20'];
    const ended = await world.run(run);
    expect(ended).toMatchObject({
      code: 75,
      stderr: expect.stringMatching(/is paused: the first 20 paid rows all failed .*403 from /),
    });
    expect(ended.stderr).toMatch(/most common trouble 403 from .* \(\d+ rows, going on\)/);
    expect(ended.stderr).toContain('voxbatch resume lines');
    expect(paid()).toBeGreaterThanOrEqual(20);
    expect(paid()).toBeLessThanOrEqual(20 + 20);
    const before = paid();
    // A schedule that runs it again pays for nothing.
    expect(await world.run(run)).toMatchObject({ code: 75 });
    expect(paid()).toBe(before);
    await world.changePlan({ rules: [] });
    expect(await world.run(['resume'])).toMatchObject({ code: 0 });
    await world.run(['run', 'lines.csv', '--window', '400']);
    expect(await world.run(['redrive', 'lines', '--where', 'outcome=failed', '--yes'])).toMatchObject({ code: 0 });
    expect((await world.status('lines')).outcomes['succeeded']).toBe(rows);
  });
});
