import { defined } from '../../contract/defined.ts';
import type { Failure, FailureClass } from '../../contract/failures.ts';
import type { RowRecord } from '../../ledger/record-types.ts';
import type { Dependencies } from '../dependencies.ts';

/** What an event says of a failure: never its message, which has the API's words. */
export function factsOfFailure({ class: failure, status, requestId }: Failure): {
  readonly failure: FailureClass;
  readonly status?: number;
  readonly requestId?: string;
} {
  return { failure, ...defined({ status, requestId }) };
}

/** Tells that a row has ended, if it has. */
export function tellRowEnd({ observe }: Pick<Dependencies, 'observe'>, batch: string, row: RowRecord): void {
  const { outcome, take, failure } = row;
  if (outcome === null) return;
  const why = failure === null ? {} : { ...factsOfFailure(failure), ...defined({ cause: failure.cause }) };
  observe({ type: 'row', batch, row: row.row, take, outcome, ...why });
}
