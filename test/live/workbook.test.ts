import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { cell, partsOf, zipOf } from '../inputs/workbook/make-workbook.ts';
import { expectWhole } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';

it('a workbook is run, and gets one back; a sheet that it does not have is refused', async () => {
  const world = await LiveWorld.open({ createMs: [5, 20], jobMs: [50, 200] });
  const rows = [
    ['id', 'text', 'voice'],
    ['a', 'Hello', 'ada'],
    ['b', '=1+1', 'ada'],
  ];
  const written = rows.map((cells, at) => {
    const row = cells.map((text, column) => cell(`${'ABC'.charAt(column)}${String(at + 1)}`, text));
    return `<row r="${String(at + 1)}">${row.join('')}</row>`;
  });
  await world.write('lines.xlsx', await zipOf(partsOf({ rows: written.join('') })));
  expect(await world.run(['run', 'lines.xlsx', '--sheet', 'Three'])).toMatchObject({ code: 2 });
  expect(world.charges().size).toBe(0);
  expect(await world.run(['run', 'lines.xlsx', '--sheet', 'One'])).toMatchObject({ code: 0 });
  await expectWhole(world, 'lines', 2);
  const workbook = await readFile(world.path('out', 'lines', 'results.xlsx'));
  expect(workbook.subarray(0, 2).toString()).toBe('PK');
  expect(await world.run(['run', 'lines.xlsx'])).toMatchObject({ code: 0 });
  expect(world.charges().size).toBe(2);
});
