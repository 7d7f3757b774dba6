import { expect, it } from '@jest/globals';
import { addOperations } from '../../contract/add-operations.ts';
import { check, load } from './manifest-file.ts';

const [COLUMN, KIND] = ['pitch', 'shift'];

addOperations([
  {
    ...{ name: KIND, path: '/shift', answer: 'direct', result: 'audio' },
    columns: { [COLUMN]: { field: COLUMN, cell: 'number' } },
    price: { unit: 'job', credits: 1 },
  },
]);

const manifest = (cells: readonly string[]): string => `${COLUMN},note\n${cells.map((one) => `${one},\n`).join('')}`;

it('takes any decimal number in a column of an own operation, with a sign and an exponent', async () => {
  const { rows } = await load(manifest(['-1', '-23.5', '+3', '1e3', ' 2E-2 ', '.5', '0']), { kind: KIND as never });
  expect(rows.map(({ spec }) => (spec as unknown as Readonly<Record<string, unknown>>)[COLUMN])).toEqual([
    -1, -23.5, 3, 1000, 0.02, 0.5, 0,
  ]);
});

const WRONG = ['-', '1e', '0x10', 'NaN', 'Infinity', '1e999', '1 000', '--1', '.'];
/** They would be sent with other digits. */
const TOO_LONG = ['12345678901234567', '-9007199254740993', '+9007199254740993'];

it('takes nothing else, nor a number that no double holds', async () => {
  const { problems } = await check(manifest([...WRONG, ...TOO_LONG]), { kind: KIND as never });
  expect(problems.map(({ line, code }) => [line, code])).toEqual(
    [...WRONG, ...TOO_LONG].map((_, at) => [at + 2, 'bad-number']),
  );
});
