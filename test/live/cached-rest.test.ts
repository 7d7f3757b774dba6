/** @slow */
import { expect, it } from '@jest/globals';
import { LiveWorld } from '../support/live-world.ts';
import { mixedManifest } from '../support/mixed-manifest.ts';

const ROWS = 8;
/** Of these, rows of an earlier batch. */
const SAME = 6;

it('the price of rows that were left out is the same in plan, run, history and the next steps, less what earlier results save', async () => {
  const world = await LiveWorld.open({ server: true, seed: 81, jobMs: [50, 100] });
  await world.write('first.csv', mixedManifest(SAME, ['tts']));
  await world.write('lines.csv', mixedManifest(ROWS, ['tts']));
  expect(await world.run(['run', 'first.csv', '--yes'])).toMatchObject({ code: 0 });
  const limited = await world.run(['run', 'lines.csv', '--limit', '2', '--yes']);
  const spent = world.simulator.ledger().length;
  expect(spent).toBe(SAME);

  const plan = JSON.parse((await world.run(['plan', 'lines.csv', '--json'])).stdout) as { credits: number };
  const run = await world.run(['run', 'lines.csv', '--yes', '--budget', '1000']);
  expect(run).toMatchObject({ code: 0 });
  // The budget covers all rows that cost something.
  expect(run.stderr).not.toContain('pays for about');
  const paid = world.simulator.ledger().slice(spent);
  expect(paid).toHaveLength(ROWS - SAME);
  const charged = paid.reduce((sum, { credits }) => sum + credits, 0);
  const { actions } = JSON.parse((await world.run(['history', 'lines', '--json'])).stdout) as {
    actions: { what: string; credits?: number }[];
  };
  const said = (text: string, words: RegExp): number => Number(words.exec(text)?.[1] ?? NaN);
  expect({
    plan: plan.credits,
    run: said(run.stderr, /more to send, at a cost of ~?([\d.]+) credits/),
    history: actions.find(({ what }) => what === 'extend')?.credits,
    next: said(`${limited.stdout}${limited.stderr}`, /about ([\d.]+) credits/),
  }).toEqual({ plan: charged, run: charged, history: charged, next: charged });
});
