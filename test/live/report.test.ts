import { expect, it } from '@jest/globals';
import { unpackReport } from '../results/report/unpack-report.ts';
import { expectWhole } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';

it('a run writes its report, and a run that goes on tells the whole story in it', async () => {
  const world = await LiveWorld.open({
    ...{ createMs: [5, 20], jobMs: [50, 200], rows: 6, kinds: ['tts'], server: true },
    plan: { rules: [{ on: 'create', match: { nth: 2 }, fault: { kind: 'status', status: 400 } }] },
  });
  const path = world.path('out', 'lines', 'report.html');
  const first = await world.run(['run', 'lines.csv', '--halt', 'never']);
  expect(first).toMatchObject({ code: 10 });
  expect(first.stderr).toContain('report: out/lines/report.html');
  const before = await unpackReport(path);
  expect(before.head).toMatchObject({ rows: 6, done: 5, standing: 'finished', takes: [{ take: 1, rows: 6 }] });
  expect(before.head.notes.join()).toContain('out/lines/failed.csv');

  expect(await world.run(['redrive', 'lines', '--where', 'outcome=failed', '--yes'])).toMatchObject({ code: 0 });
  await expectWhole(world, 'lines', 6);
  const { head, blocks } = await unpackReport(path);
  expect(head).toMatchObject({ done: 6, failures: [], notes: [], requests: { sent: 7 } });
  expect(head.takes).toEqual([
    { take: 1, rows: 5 },
    { take: 2, rows: 1 },
  ]);
  expect(head.actions.map(({ kind }) => kind)).toEqual(['start', 'redrive']);
  // Rows of both: of the first run and of the second.
  expect(blocks.flatMap(({ standing }) => standing)).toEqual(Array.from({ length: 6 }, () => 'succeeded'));
  expect(head.jobTimes).toMatchObject([{ step: 'speech', seconds: { values: 6 } }]);

  // A report that is not wanted any more is not left behind.
  expect(await world.run(['run', 'lines.csv', '--halt', 'never', '--report', 'none'])).toMatchObject({ code: 0 });
  await expect(unpackReport(path)).rejects.toMatchObject({ code: 'ENOENT' });
});
