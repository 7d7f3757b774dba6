import type { Observe, WorkEvent } from '../../contract/work-events.ts';
import { below, CLIENT, ERROR, type Attributes, type Span, type Tracer } from './opentelemetry.ts';

type EventOf<T extends WorkEvent['type']> = Extract<WorkEvent, { readonly type: T }>;

/** Verdicts of requests that were taken. */
const TAKEN: readonly string[] = ['accepted', 'done'];

/**
 * Makes spans of a worker's events: a slice of work on a batch, in it its rows, in these their paid requests and
 * downloads; looks at jobs are events of the row. Ids and figures only: never a text, a token or a link. `apiUrl`:
 * where requests go.
 */
export function traceEvents(tracer: Tracer, apiUrl: string): Observe {
  const tracing = new Tracing(tracer, new URL(apiUrl).hostname);
  return (event) => {
    try {
      tracing.see(event);
    } catch {
      // An SDK of the user's must not end the work.
    }
  };
}

class Tracing {
  readonly #tracer: Tracer;
  readonly #server: string;
  readonly #slices = new Map<string, Span>();
  /** Rows at work, by slice. */
  readonly #rows = new Map<string, Map<number, Span>>();
  /** Answers whose meaning for the row follows at once. */
  readonly #answers = new Map<string, { readonly answer: EventOf<'answer'>; readonly at: number }>();

  constructor(tracer: Tracer, server: string) {
    this.#tracer = tracer;
    this.#server = server;
  }

  see(event: WorkEvent): void {
    if (!('batch' in event) || event.lane === undefined) return;
    const slice = `${event.lane} ${event.batch}`;
    switch (event.type) {
      case 'lane':
        this.#seeLane(slice, event);
        return;
      case 'row':
        this.#endRow(slice, event);
        return;
      case 'intent':
        this.#rowOf(slice, event, Date.now() - event.ms);
        return;
      case 'answer':
        this.#answers.set(nameOf(event), { answer: event, at: Date.now() });
        return;
      case 'verdict':
        this.#endRequest(slice, event);
        return;
      case 'poll': {
        const { found, ageMs, jobId, failure } = event;
        const facts = { 'voxbatch.found': found, 'voxbatch.job.id': jobId, 'voxbatch.job.age_ms': ageMs };
        this.#rowOf(slice, event).addEvent('poll', failure === undefined ? facts : { ...facts, 'error.type': failure });
        return;
      }
      case 'download': {
        const { ms = 0, bytes, error, jobId } = event;
        const attributes = { 'voxbatch.job.id': jobId, 'http.response.body.size': bytes };
        this.#past(slice, event, 'download', Date.now() - ms, attributes, error === undefined ? undefined : 'download');
        return;
      }
      default:
        return;
    }
  }

  #seeLane(slice: string, { is, batch, lane, rows, workflowId, runId }: EventOf<'lane'>): void {
    if (is === 'claimed') return;
    if (is === 'taken') {
      const attributes = {
        'voxbatch.batch': batch,
        'voxbatch.lane': lane,
        'temporal.workflow.id': workflowId,
        'temporal.run.id': runId,
      };
      this.#slices.set(slice, this.#tracer.startSpan('batch', { attributes }, below()));
      return;
    }
    for (const row of this.#rows.get(slice)?.values() ?? []) row.end();
    const span = this.#slices.get(slice);
    span?.setAttributes({ 'voxbatch.rows': rows, 'voxbatch.then': is });
    if (is === 'failed') span?.setStatus({ code: ERROR });
    span?.end();
    this.#rows.delete(slice);
    this.#slices.delete(slice);
  }

  /** The span of a row. `startTime`: when it begins if it is new; default: now. */
  #rowOf(
    slice: string,
    { batch, row, id, take }: Pick<EventOf<'row'>, 'batch' | 'row' | 'id' | 'take'>,
    startTime = Date.now(),
  ): Span {
    const rows = this.#rows.get(slice) ?? new Map<number, Span>();
    this.#rows.set(slice, rows);
    const found = rows.get(row);
    if (found !== undefined) return found;
    const attributes = { 'voxbatch.batch': batch, 'voxbatch.row': row, 'voxbatch.row.id': id, 'voxbatch.take': take };
    const span = this.#tracer.startSpan('row', { attributes, startTime }, below(this.#slices.get(slice)));
    rows.set(row, span);
    return span;
  }

  #endRow(slice: string, event: EventOf<'row'>): void {
    const span = this.#rowOf(slice, event);
    const { outcome, failure, requestId } = event;
    span.setAttributes({ 'voxbatch.outcome': outcome, 'voxbatch.request_id': requestId });
    if (failure !== undefined) {
      span.setAttributes({ 'error.type': failure });
      span.setStatus({ code: ERROR });
    }
    span.end();
    this.#rows.get(slice)?.delete(event.row);
  }

  #endRequest(slice: string, event: EventOf<'verdict'>): void {
    const sent = this.#answers.get(nameOf(event));
    if (sent === undefined) return;
    this.#answers.delete(nameOf(event));
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
    const trouble = TAKEN.includes(verdict) ? undefined : (failure ?? verdict);
    this.#past(slice, event, `POST ${operation}`, sent.at - ms, attributes, trouble, sent.at);
  }

  /** A span of what is over. */
  #past(
    slice: string,
    event: EventOf<'verdict' | 'download'>,
    name: string,
    startTime: number,
    attributes: Attributes,
    trouble: string | undefined,
    endTime?: number,
  ): void {
    const at = { 'voxbatch.step': event.step, 'voxbatch.attempt': event.attempt, 'error.type': trouble };
    const options = { kind: CLIENT, startTime, attributes: { ...attributes, ...at } } as const;
    const span = this.#tracer.startSpan(name, options, below(this.#rowOf(slice, event)));
    if (trouble !== undefined) span.setStatus({ code: ERROR });
    span.end(endTime);
  }
}

function nameOf({ batch, row, step, take, attempt }: EventOf<'answer' | 'verdict'>): string {
  return [batch, row, step, take, attempt].join('/');
}
