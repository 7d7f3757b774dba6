import { expect, it } from '@jest/globals';
import { LiveWorld } from '../support/live-world.ts';

it('the same command goes on with a manifest whose edits were redriven, and says that it is finished', async () => {
  const world = await LiveWorld.open({ createMs: [5, 20], jobMs: [50, 200] });
  const lines = (text: string): string => `id;text;voice;max_seconds\na;${text};ada;6,5\nb;Bye;ada;7\n`;
  await world.write('lines.csv', lines('Hello'));
  expect(await world.run(['run', 'lines.csv', '--xlsx'])).toMatchObject({ code: 0 });
  await world.write('lines.csv', lines('Hi'));
  expect(await world.run(['run', 'lines.csv'])).toMatchObject({ code: 2 });
  expect(await world.run(['redrive', 'lines', '--from', 'lines.csv', '--yes'])).toMatchObject({ code: 0 });
  expect(world.charges().size).toBe(3);
  const again = await world.run(['run', 'lines.csv']);
  expect(again).toMatchObject({ code: 0 });
  expect(`${again.stdout}${again.stderr}`).not.toContain('taken');
  expect(await world.run(['plan', 'lines.csv'])).toMatchObject({ code: 0 });
  const unedited = await world.run(['redrive', 'lines', '--from', 'out/lines/results.xlsx', '--dry-run']);
  expect(unedited).toMatchObject({ code: 0 });
  expect(`${unedited.stdout}${unedited.stderr}`).not.toContain('edited');
  expect(world.charges().size).toBe(3);
});
