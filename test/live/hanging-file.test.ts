/** @slow */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { LiveWorld } from '../support/live-world.ts';
import { waitFor } from '../support/wait-for.ts';

/** A result that hangs whoever reads it, among 100 good ones, and a kill while a thread hangs in it. */

const ROWS = 101;
const BAD = 50;

let world: LiveWorld;
beforeAll(async () => {
  const endless = {
    on: 'download',
    fault: { kind: 'wrong-type', body: 'endless' },
    match: { text: 'markbad' },
  } as const;
  world = await LiveWorld.create({ seed: 5, plan: { rules: [endless] }, createMs: [5, 20], jobMs: [50, 200] });
  const lines = Array.from(
    { length: ROWS },
    (_, at) => `row-${at},Text ${at === BAD ? 'markbad' : 'good'} ${at} to speak.,narrator`,
  );
  await world.write('lines.csv', ['id,text,voice', ...lines, ''].join('\n'));
  await world.write('voxbatch.config.json', JSON.stringify({ polling: { firstLookMs: 300, gapMs: 300 } }));
});
afterAll(() => world.close());

it('each row ends once and is charged once; the one is kept unread, also after a restart', async () => {
  const { child, ended } = world.start(['run', 'lines.csv']);
  // No request is on the wire then, so the kill leaves none in doubt.
  await waitFor(async () => {
    const isServed = 'download wrong-type endless' in (await world.statistics()).faults;
    if (!isServed || world.charges().size < ROWS) return false;
    const { waiting = 0, submitting = 0 } = (await world.status('lines')).states;
    return waiting + submitting === 0;
  });
  child.kill('SIGKILL');
  await ended;

  const again = await world.run(['run', 'lines.csv']);
  const rows = await world.results('lines');
  const outcomes = [...rows].map(([id, row]) => [id, row['_outcome']]);
  const expected = Array.from({ length: ROWS }, (_, at) => [`row-${at}`, at === BAD ? 'unfit' : 'succeeded']);
  expect({ code: again.code, outcomes }).toEqual({ code: 14, outcomes: expected });
  expect(rows.get(`row-${BAD}`)).toMatchObject({
    _file: `media/unfit/row-${BAD}.mkv`,
    _message: expect.stringContaining('could not be read in 30 s'),
  });
  expect([world.charges().size, world.doubleCharges()]).toEqual([ROWS, []]);
  expect(await world.run(['verify', 'out/lines'])).toMatchObject({ code: 0 });
}, 600_000);
