import { ApiError } from '../../api/speech-api.ts';
import { defined } from '../../contract/defined.ts';
import { messageOf } from '../../contract/message-of.ts';
import { publicCause, type Failure, type FailureClass } from '../../contract/failures.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';
import type { Dependencies } from '../dependencies.ts';

/** Returns what an event says about a failure: never its message, because the API's words may repeat a row's text. */
export function failureFacts({ class: failure, status, requestId }: Failure): {
  readonly failure: FailureClass;
  readonly status?: number;
  readonly requestId?: string;
} {
  return { failure, ...defined({ status, requestId }) };
}

/**
 * Returns an error's summary for an event: an API error's public cause (status and code) or its class, without the
 * API's words; another error's message.
 */
export function errorSummary(error: unknown): string {
  if (!(error instanceof ApiError)) return messageOf(error);
  return publicCause(error.failure) ?? error.failure.class;
}

/** Emits the event of a row's end. Does nothing if the row has not ended. */
export function observeRowEnd({ observe }: Pick<Dependencies, 'observe'>, batch: string, row: RowRecord): void {
  const { outcome, take, failure } = row;
  if (outcome === null) return;
  const why = failure === null ? {} : { ...failureFacts(failure), ...defined({ cause: publicCause(failure) }) };
  observe({ type: 'row', batch, row: row.row, take, outcome, ...why });
}
