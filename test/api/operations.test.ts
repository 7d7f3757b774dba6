import { clientIn } from '../../api/dialects/dialect-table.ts';
import { expect, it } from '@jest/globals';
import { DIALECT_TABLES } from '../../api/dialects/dialects.ts';
import { DIALECTS } from '../../contract/dialects.ts';
import {
  COLUMN_CELLS,
  cellOf as cellKindOf,
  OPERATION_FACTS,
  factsOf,
  type Operation,
  type SpecColumn,
} from '../../contract/operations.ts';
import type { OperationClient } from '../../api/operations/operation-client.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';

const OPERATIONS = Object.keys(OPERATION_FACTS) as Operation[];
const COLUMNS = DIALECTS.flatMap((dialect) =>
  OPERATIONS.filter((operation) => factsOf(operation).dialects.includes(dialect)).flatMap((operation) => {
    const { needs, takes } = factsOf(operation);
    return [...needs, ...takes].map(
      (column) => [`${dialect} ${operation}`, column, clientIn(DIALECT_TABLES[dialect], operation)] as const,
    );
  }),
);

/** Whether a column holds a number. */
const isNumber = (column: SpecColumn): boolean => ['number', 'seconds'].includes(cellKindOf(column));

/** Something in a column. */
function cellOf(column: SpecColumn, another = false): unknown {
  const text = another ? `another ${column}` : `a ${column}`;
  if (COLUMN_CELLS[column] === 'files') return [{ path: text, bytes: 1, sha256: '', extension: 'wav', seconds: 1 }];
  // A list of languages, one here.
  if (column === 'language') return text.replace(' ', '-');
  return isNumber(column) ? (another ? 1.5 : 1) : text;
}

/** The body of a request for a row with something in every column that the operation reads, and the files beside it. */
function bodyOf(
  client: OperationClient | null,
  name: string,
  change: Partial<Record<SpecColumn, unknown>> = {},
): string {
  const operation = name.split(' ').at(-1) as Operation;
  const { needs, takes } = factsOf(operation);
  const cells = Object.fromEntries([...needs, ...takes].map((column) => [column, cellOf(column)]));
  const spec = { kind: 'tts', ...cells, ...change } as unknown as RowSpec;
  const request = { operation, spec, idempotencyKey: 'key', isRepeat: false, trust503: false };
  if (client === null) throw new Error(`There is no ${name}.`);
  const { body, upload } = client;
  return JSON.stringify([body(request), upload?.files(request).map(({ path }) => path)]);
}

it.each(COLUMNS)('what an operation reads of a row: of %s reaches the API: %s', (name, column, client) => {
  const words = (cell: unknown): string =>
    Array.isArray(cell) ? (cell as { path: string }[]).map(({ path }) => path).join() : String(cell);
  const other = cellOf(column, true);
  const before = bodyOf(client, name);
  const after = bodyOf(client, name, { [column]: other });
  expect(after).toBe(before.replace(words(cellOf(column)), words(other)));
  expect(after).not.toBe(before);
});
