/** @slow */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { expectWhole, report, saying } from '../support/batch-end.ts';
import { changeRate } from '../support/batch-record.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 100;

describe('a budget of 40 % of the bill, with 100 rows in flight', () => {
  let world: LiveWorld;

  beforeEach(async () => {
    world = await LiveWorld.open({
      server: true,
      seed: 63,
      createMs: [20, 200],
      jobMs: [500, 1_500],
      rows: ROWS,
      kinds: ['tts', 'dub'],
    });
  });

  const spent = (): number => world.simulator.ledger().reduce((sum, { credits }) => sum + credits, 0);

  /** The bill by `plan`, in credits. */
  async function bill(): Promise<number> {
    await world.write('bare.csv', await world.read('lines.csv'));
    const { stdout } = await world.run(['plan', 'bare.csv', '--assume-seconds', '3', '--json']);
    return (JSON.parse(stdout) as { readonly credits: number }).credits;
  }

  it('is never exceeded; the rest is skipped (12), and goes on when the budget is raised', async () => {
    const budget = Math.round(0.4 * (await bill()));
    const flags = ['--window', '100', '--submits', '20', '--assume-seconds', '3', '--yes'];
    const short = await world.run(['run', 'lines.csv', '--budget', String(budget), ...flags]);
    expect(short).toMatchObject({ code: 12, stderr: saying('voxbatch run lines.csv --budget ') });
    const status = await world.status('lines');
    report('budget', { budget, spent: spent(), outcomes: status.outcomes });
    expect(spent()).toBeLessThanOrEqual(budget);
    expect(spent()).toBeGreaterThan(0.9 * budget);
    const { succeeded = 0, skipped = 0 } = status.outcomes;
    expect(status).toMatchObject({ exit: 'skipped', state: 'closed', budget });
    expect(succeeded + skipped).toBe(ROWS);
    const left = [...(await world.results('lines')).values()].find((row) => row['_outcome'] === 'skipped');
    expect(left).toMatchObject({ _error_class: 'OverBudget', _credits: 0, _attempts: 0 });
    expect(left?.['_message']).toMatch(/budget of .* credits \(.* spent.*this row costs .*Nothing was charged/);
    const again = await world.run(['run', 'lines.csv', '--json']);
    expect(again.code).toBe(12);
    const { budget_needed: needed } = JSON.parse(again.stdout) as { readonly budget_needed: number };
    // As the text says.
    expect(again.stderr).toContain(`voxbatch run lines.csv --budget ${String(needed)}`);

    const raised = await world.run(['run', 'lines.csv', '--budget', String(needed), '--assume-seconds', '3', '--yes']);
    expect(raised).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0 });
  });

  it('may be set while it runs', async () => {
    const running = world.start(['run', 'lines.csv', '--rate', '3', '--assume-seconds', '3', '--yes']);
    await world.untilCharged(10);
    // So that the budget is not spent before it is set.
    await changeRate(world, 'lines', 0.1);
    const budget = spent() + 400;
    expect(await world.run(['tune', '--budget', String(budget)])).toMatchObject({ code: 0 });
    await changeRate(world, 'lines', 20);
    expect(await running.ended).toMatchObject({ code: 12 });
    expect(spent()).toBeLessThanOrEqual(budget);
    expect(await world.run(['run', 'lines.csv'])).toMatchObject({ code: 12 });
  });
});
