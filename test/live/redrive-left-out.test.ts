import { expect, it } from '@jest/globals';
import { saying } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';

it('a file that has a row whose answer was lost is redriven without it: it is named, settled apart, and its edit is kept', async () => {
  const world = await LiveWorld.open({
    ...{ server: true, seed: 91, jobMs: [50, 100], rows: 3, kinds: ['tts'] },
    plan: {
      rules: [
        { on: 'create', match: { text: 'number 2' }, fault: 'reset-after' },
        { on: 'create', match: { text: 'number 3' }, times: 1, fault: { kind: 'status', status: 400 } },
      ],
    },
  });
  expect(await world.run(['run', 'lines.csv', '--yes'])).toMatchObject({ code: 13 });
  expect(world.simulator.ledger()).toHaveLength(2);
  const before = await world.read('out', 'lines', 'results.csv');
  await world.write('out/lines/results.csv', before.replace('Line number 2', 'Edited line number 2'));

  const redriven = await world.run(['redrive', 'lines', '--from', 'out/lines/results.csv', '--yes']);
  const said = /1 row left out[^]*r2 \(row 2\): the answer to its speech request was lost[^]*voxbatch reconcile lines/;
  expect(redriven).toMatchObject({ code: 13, stderr: expect.stringMatching(said) });
  // The row that failed was paid for, and no other.
  expect(
    world.simulator
      .ledger()
      .map(({ text }) => text)
      .sort(),
  ).toEqual([1, 2, 3].map((n) => `Line number ${String(n)} of this batch.`));
  expect(await world.read('out', 'lines', 'results.edited.csv')).toContain('Edited line number 2');

  // Alone it is refused, as before.
  expect(await world.run(['redrive', 'lines', '--from', 'out/lines/unknown.csv', '--yes'])).toMatchObject({
    code: 2,
    stderr: saying('1 row cannot be redriven this way. Nothing was changed. Nothing was spent.'),
  });
  const dry = await world.run(['redrive', 'lines', '--from', 'out/lines/results.edited.csv', '--dry-run', '--json']);
  expect(dry).toMatchObject({ code: 2 });
  expect(world.simulator.ledger()).toHaveLength(3);
});
