import { expect, it } from '@jest/globals';
import { addBatch } from '../../results/sample-batch.ts';
import { expectRun, placeAtSimulator, run } from '../command-line.ts';

const world = placeAtSimulator();

const ROWS = [{ id: 'a', kind: 'tts', input: ['a', 'one'] }] as const;

it('voxbatch known-words: names what there is, and nothing that is not there', async () => {
  for (const what of ['batches', 'schedules']) await expectRun(`known-words ${what}`, 0, { out: '', err: '' });
  await addBatch(world.place, ['id', 'text'], ROWS);
  await expectRun('known-words batches', 0, { out: /^demo\n$/, err: '' });
});

it('voxbatch known-words voices: asks the API, free', async () => {
  const { stdout } = await expectRun('known-words voices', 0, { err: '' });
  const listed = JSON.parse((await run('voices list --json')).stdout) as readonly { readonly id: string }[];
  expect(stdout.trim().split('\n')).toEqual(listed.map(({ id }) => id));
});

it('is in no help', async () => {
  await expectRun('--help', 0, { not: 'known-words' });
});
