import { describe, expect, it } from '@jest/globals';
import { V1_CLIENTS } from '../../api/operations/clients.ts';
import { COLUMN_CELLS, OPERATION_FACTS, type Operation, type SpecColumn } from '../../contract/operations.ts';
import type { OperationClient } from '../../api/operations/operation-client.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';

const OPERATIONS = Object.keys(OPERATION_FACTS) as Operation[];
const COLUMNS = OPERATIONS.flatMap((operation) => {
  const { needs, takes } = OPERATION_FACTS[operation];
  return [...needs, ...takes].map((column) => [operation, column] as const);
});

/** Whether a column holds a number. */
function isNumber(column: SpecColumn): boolean {
  return ['number', 'seconds'].includes(COLUMN_CELLS[column]);
}

/** Something in a column. */
function cellOf(column: SpecColumn, another = false): unknown {
  const text = another ? `another ${column}` : `a ${column}`;
  if (COLUMN_CELLS[column] === 'files') return [{ path: text, bytes: 1, sha256: '', extension: 'wav', seconds: 1 }];
  // A list of languages, one here.
  if (column === 'language') return text.replace(' ', '-');
  return isNumber(column) ? (another ? 1.5 : 1) : text;
}

/** The body of a request for a row with something in every column that the operation reads, and the files beside it. */
function bodyOf(operation: Operation, change: Partial<Record<SpecColumn, unknown>> = {}): string {
  const { needs, takes } = OPERATION_FACTS[operation];
  const cells = Object.fromEntries([...needs, ...takes].map((column) => [column, cellOf(column)]));
  const spec = { kind: 'tts', ...cells, ...change } as unknown as RowSpec;
  const request = { operation, spec, idempotencyKey: 'key', isRepeat: false, trust503: false };
  const { body, upload }: OperationClient = V1_CLIENTS[operation];
  return JSON.stringify([body(request), upload?.files(request).map(({ path }) => path)]);
}

describe('what an operation reads of a row', () => {
  it.each(COLUMNS)('of %s reaches the API: %s', (operation, column) => {
    const words = (cell: unknown): string =>
      Array.isArray(cell) ? (cell as { path: string }[]).map(({ path }) => path).join() : String(cell);
    const other = cellOf(column, true);
    expect(bodyOf(operation, { [column]: other })).toBe(bodyOf(operation).replace(words(cellOf(column)), words(other)));
    expect(bodyOf(operation, { [column]: other })).not.toBe(bodyOf(operation));
  });
});
