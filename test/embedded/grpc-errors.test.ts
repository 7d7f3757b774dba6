import { describe, expect, it } from '@jest/globals';
import { ScheduleNotFoundError, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { GRPC, hasCode, isNotFound } from '../../embedded/grpc-errors.ts';

/** A call that failed with this code, as the raw service rejects. */
function failed(code: number): Error {
  return Object.assign(new Error(`${String(code)} no`), { code, details: 'no', metadata: {} });
}

describe('isNotFound', () => {
  it.each<[string, unknown]>([
    ['a raw call', failed(GRPC.NOT_FOUND)],
    ['a call of the client', new ServiceError('no', { cause: failed(GRPC.NOT_FOUND) })],
    ['a workflow', new WorkflowNotFoundError('no', 'w', undefined)],
    ['a schedule', new ScheduleNotFoundError('no', 's')],
  ])('is true of %s', (_, error) => expect(isNotFound(error)).toBe(true));

  it.each<[string, unknown]>([
    ['another code', failed(GRPC.UNAVAILABLE)],
    ['an error of a file', Object.assign(new Error('no'), { code: 'ENOENT' })],
    ['an error with a number of its own', Object.assign(new Error('no'), { code: GRPC.NOT_FOUND })],
    ['nothing', undefined],
  ])('is false of %s', (_, error) => expect(isNotFound(error)).toBe(false));
});

it('hasCode looks into what a call of the client was caused by', () => {
  expect(hasCode(new ServiceError('no', { cause: failed(GRPC.UNAVAILABLE) }), GRPC.UNAVAILABLE)).toBe(true);
  expect(hasCode(failed(GRPC.UNAVAILABLE), GRPC.NOT_FOUND)).toBe(false);
});
