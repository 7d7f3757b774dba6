import { describe, expect, it } from '@jest/globals';
import { V1_CLIENTS } from '../../api/operations/clients.ts';
import { COLUMN_CELLS, OPERATION_FACTS, type Operation, type SpecColumn } from '../../contract/operations.ts';
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

/** The body of a request for a row with something in every column that the operation reads. */
function bodyOf(operation: Operation, change: Partial<Record<SpecColumn, string | number>> = {}): string {
  const { needs, takes } = OPERATION_FACTS[operation];
  const cells = Object.fromEntries(
    [...needs, ...takes].map((column) => [column, isNumber(column) ? 1 : `a ${column}`]),
  );
  const spec = { kind: 'tts', ...cells, ...change } as unknown as RowSpec;
  const request = { operation, spec, idempotencyKey: 'key', isRepeat: false, trust503: false };
  return JSON.stringify(V1_CLIENTS[operation].body(request));
}

describe('what an operation reads of a row', () => {
  it.each(COLUMNS)('of %s reaches the API: %s', (operation, column) => {
    const other = isNumber(column) ? 1.5 : `another ${column}`;
    expect(bodyOf(operation, { [column]: other })).toBe(
      bodyOf(operation).replace(isNumber(column) ? '1' : `a ${column}`, String(other)),
    );
    expect(bodyOf(operation, { [column]: other })).not.toBe(bodyOf(operation));
  });
});
