import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { compiledOf } from '../../compiled.mjs';
import { manifestFile } from '../manifest-file.ts';
import { COLUMN, type OwnNumbers } from './read-own-numbers.ts';

const THREAD = pathToFileURL(compiledOf('test/inputs/own-operations/read-own-numbers.ts'));

/** Reads a manifest with these cells in a thread of its own, because whoever knows an operation knows it for good. */
async function read(cells: readonly string[]): Promise<OwnNumbers> {
  const manifest = `${COLUMN},note\n${cells.map((one) => `${one},\n`).join('')}`;
  const thread = new Worker(THREAD, { workerData: await manifestFile(manifest) });
  const [answer] = (await once(thread, 'message')) as [OwnNumbers];
  await thread.terminate();
  return answer;
}

it('takes any decimal number in a column of an own operation, with a sign and an exponent', async () => {
  expect(await read(['-1', '-23.5', '+3', '1e3', ' 2E-2 ', '.5', '0'])).toEqual({
    numbers: [-1, -23.5, 3, 1000, 0.02, 0.5, 0],
    problems: [],
    expected: '',
  });
});

const WRONG = ['-', '1e', '0x10', 'NaN', 'Infinity', '1e999', '1 000', '--1', '.'];
/** They would be sent with other digits. */
const TOO_LONG = ['12345678901234567', '-9007199254740993', '+9007199254740993'];

it('takes nothing else, nor a number that no double holds', async () => {
  const { problems, expected } = await read([...WRONG, ...TOO_LONG]);
  expect(problems).toEqual([...WRONG, ...TOO_LONG].map((_, at) => [at + 2, 'bad-number']));
  // It does not read as if only whole numbers were taken.
  expect(expected).toBe('a number, such as 12 or -23.5 (a whole one has at most 15 digits)');
});
