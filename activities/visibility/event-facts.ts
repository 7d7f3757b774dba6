import { ApiError } from '../../api/speech-api.ts';
import { defined } from '../../contract/defined.ts';
import { messageOf } from '../../contract/message-of.ts';
import { publicCause, type Failure, type FailureClass } from '../../contract/failures.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';
import type { Dependencies } from '../dependencies.ts';

/** What an event says of a failure: never its message, which has the API's words, and they may repeat a row's text. */
export function failureFacts({ class: failure, status, requestId }: Failure): {
  readonly failure: FailureClass;
  readonly status?: number;
  readonly requestId?: string;
} {
  return { failure, ...defined({ status, requestId }) };
}

/** What is wrong, for an event: an answer of the API by its status and code, or its class. */
export function errorSummary(error: unknown): string {
  if (!(error instanceof ApiError)) return messageOf(error);
  return publicCause(error.failure) ?? error.failure.class;
}

/** Tells that a row has ended, if it has. */
export function observeRowEnd({ observe }: Pick<Dependencies, 'observe'>, batch: string, row: RowRecord): void {
  const { outcome, take, failure } = row;
  if (outcome === null) return;
  const why = failure === null ? {} : { ...failureFacts(failure), ...defined({ cause: publicCause(failure) }) };
  observe({ type: 'row', batch, row: row.row, take, outcome, ...why });
}
