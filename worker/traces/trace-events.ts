import type { Observe, WorkEvent } from '../../contract/work-events.ts';
import { contextOf, SPAN_KIND_CLIENT, STATUS_ERROR, type Attributes, type Span, type Tracer } from './opentelemetry.ts';

type EventOf<T extends WorkEvent['type']> = Extract<WorkEvent, { readonly type: T }>;

/** Verdicts of requests that succeeded. */
const SUCCESSFUL: readonly string[] = ['accepted', 'done'];

/**
 * Returns an observer that turns a worker's events into spans. A slice (the time that a worker holds a lane of a batch)
 * is a root span, its children are the rows, and theirs the rows' paid requests and downloads. Polls of jobs are events
 * of the row's span. Spans have ids and figures only: never a text, a token or a link.
 *
 * @param apiUrl address of the API, whose host name the spans of requests have
 */
export function traceEvents(tracer: Tracer, apiUrl: string): Observe {
  const recorder = new SpanRecorder(tracer, new URL(apiUrl).hostname);
  return (event) => {
    try {
      recorder.record(event);
    } catch {
      // A fault of the user's SDK must not end the work.
    }
  };
}

/** Keeps the open spans of {@link traceEvents}. A slice is identified by its lane and batch. */
class SpanRecorder {
  readonly #tracer: Tracer;
  readonly #server: string;
  /** Spans of open slices. */
  readonly #slices = new Map<string, Span>();
  /** Spans of open rows, by slice and row number. */
  readonly #rows = new Map<string, Map<number, Span>>();
  /** Answers, by attempt, with their arrival in ms since 1970. The verdict event that follows ends the span. */
  readonly #answers = new Map<string, { readonly answer: EventOf<'answer'>; readonly at: number }>();

  constructor(tracer: Tracer, server: string) {
    this.#tracer = tracer;
    this.#server = server;
  }

  /** Records an event; ignores those that have no span. */
  record(event: WorkEvent): void {
    if (!('batch' in event) || event.lane === undefined) return;
    const slice = `${event.lane} ${event.batch}`;
    switch (event.type) {
      case 'lane':
        this.#recordLane(slice, event);
        return;
      case 'row':
        this.#endRow(slice, event);
        return;
      case 'intent':
        this.#rowSpan(slice, event, Date.now() - event.ms);
        return;
      case 'answer':
        this.#answers.set(attemptKey(event), { answer: event, at: Date.now() });
        return;
      case 'verdict':
        this.#endRequest(slice, event);
        return;
      case 'poll': {
        const { found, ageMs, jobId, failure } = event;
        const facts = { 'voxbatch.found': found, 'voxbatch.job.id': jobId, 'voxbatch.job.age_ms': ageMs };
        this.#rowSpan(slice, event).addEvent(
          'poll',
          failure === undefined ? facts : { ...facts, 'error.type': failure },
        );
        return;
      }
      case 'download': {
        const { ms = 0, bytes, error, jobId } = event;
        const attributes = { 'voxbatch.job.id': jobId, 'http.response.body.size': bytes };
        const errorType = error === undefined ? undefined : 'download';
        this.#addEndedSpan(slice, event, { name: 'download', startTime: Date.now() - ms, attributes, errorType });
        return;
      }
      default:
        return;
    }
  }

  #recordLane(slice: string, { is, batch, lane, rows, workflowId, runId }: EventOf<'lane'>): void {
    if (is === 'claimed') return;
    if (is === 'taken') {
      const attributes = {
        'voxbatch.batch': batch,
        'voxbatch.lane': lane,
        'temporal.workflow.id': workflowId,
        'temporal.run.id': runId,
      };
      this.#slices.set(slice, this.#tracer.startSpan('batch', { attributes }, contextOf()));
      return;
    }
    for (const row of this.#rows.get(slice)?.values() ?? []) row.end();
    const span = this.#slices.get(slice);
    span?.setAttributes({ 'voxbatch.rows': rows, 'voxbatch.then': is });
    if (is === 'failed') span?.setStatus({ code: STATUS_ERROR });
    span?.end();
    this.#rows.delete(slice);
    this.#slices.delete(slice);
  }

  /** Returns the span of a row; starts it if it is new, at `startTime` (ms since 1970, default: now). */
  #rowSpan(
    slice: string,
    { batch, row, id, take }: Pick<EventOf<'row'>, 'batch' | 'row' | 'id' | 'take'>,
    startTime = Date.now(),
  ): Span {
    const rows = this.#rows.get(slice) ?? new Map<number, Span>();
    this.#rows.set(slice, rows);
    const found = rows.get(row);
    if (found !== undefined) return found;
    const attributes = { 'voxbatch.batch': batch, 'voxbatch.row': row, 'voxbatch.row.id': id, 'voxbatch.take': take };
    const span = this.#tracer.startSpan('row', { attributes, startTime }, contextOf(this.#slices.get(slice)));
    rows.set(row, span);
    return span;
  }

  #endRow(slice: string, event: EventOf<'row'>): void {
    const span = this.#rowSpan(slice, event);
    const { outcome, failure, requestId } = event;
    span.setAttributes({ 'voxbatch.outcome': outcome, 'voxbatch.request_id': requestId });
    if (failure !== undefined) {
      span.setAttributes({ 'error.type': failure });
      span.setStatus({ code: STATUS_ERROR });
    }
    span.end();
    this.#rows.get(slice)?.delete(event.row);
  }

  #endRequest(slice: string, event: EventOf<'verdict'>): void {
    const sent = this.#answers.get(attemptKey(event));
    if (sent === undefined) return;
    this.#answers.delete(attemptKey(event));
    const { operation, ms, requestId } = sent.answer;
    const { verdict, status, failure, jobId } = event;
    const attributes = {
      'http.request.method': 'POST',
      'server.address': this.#server,
      'http.response.status_code': status,
      'voxbatch.operation': operation,
      'voxbatch.verdict': verdict,
      'voxbatch.job.id': jobId,
      'voxbatch.request_id': requestId,
    };
    const errorType = SUCCESSFUL.includes(verdict) ? undefined : (failure ?? verdict);
    const name = `POST ${operation}`;
    this.#addEndedSpan(slice, event, { name, startTime: sent.at - ms, endTime: sent.at, attributes, errorType });
  }

  /** Adds a span of a request or download that has ended, as a child of its row. */
  #addEndedSpan(slice: string, event: EventOf<'verdict' | 'download'>, ended: EndedSpan): void {
    const { name, startTime, endTime, attributes, errorType } = ended;
    const at = { 'voxbatch.step': event.step, 'voxbatch.attempt': event.attempt, 'error.type': errorType };
    const options = { kind: SPAN_KIND_CLIENT, startTime, attributes: { ...attributes, ...at } } as const;
    const span = this.#tracer.startSpan(name, options, contextOf(this.#rowSpan(slice, event)));
    if (errorType !== undefined) span.setStatus({ code: STATUS_ERROR });
    span.end(endTime);
  }
}

/** The content of a span that has ended. Times are in ms since 1970. */
interface EndedSpan {
  readonly name: string;
  readonly startTime: number;
  /** Default: now. */
  readonly endTime?: number;
  readonly attributes: Attributes;
  /** Undefined if it succeeded. */
  readonly errorType: string | undefined;
}

function attemptKey({ batch, row, step, take, attempt }: EventOf<'answer' | 'verdict'>): string {
  return [batch, row, step, take, attempt].join('/');
}
