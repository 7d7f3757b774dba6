/**
 * What is used of OpenTelemetry's API, version 1, as an SDK of the user's registers it. It is read from where all
 * copies of `@opentelemetry/api` meet, so that voxbatch needs none of its own, and loads nothing.
 */
export interface Tracer {
  startSpan(name: string, options: SpanOptions, context: Context): Span;
}

interface SpanOptions {
  readonly kind?: SpanKind;
  /** ms since 1970. */
  readonly startTime?: number;
  readonly attributes?: Attributes;
}

export type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface Span {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { readonly code: StatusCode }): unknown;
  addEvent(name: string, attributes?: Attributes): unknown;
  end(endTime?: number): void;
}

/** Carries a span's parent. Async context is off here (docs/decisions/cpu.md), so parents are always named. */
interface Context {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): Context;
  deleteValue(key: symbol): Context;
}

/** `SpanKind` of the API. */
export const CLIENT = 2;
type SpanKind = typeof CLIENT;
/** `SpanStatusCode.ERROR` of the API. */
export const ERROR = 2;
type StatusCode = typeof ERROR;

/** A tracer of the SDK that this process has registered; undefined if there is none. */
export function findTracer(version: string): Tracer | undefined {
  const shared = (globalThis as Record<symbol, unknown>)[Symbol.for('opentelemetry.js.api.1')];
  const { trace } = (shared ?? {}) as { readonly trace?: { getTracer(name: string, version: string): Tracer } };
  return trace?.getTracer('voxbatch', version);
}

const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN');

/** The context of what a span is the parent of; without one, the root. */
export function below(span?: Span, values: ReadonlyMap<symbol, unknown> = new Map([[SPAN_KEY, span]])): Context {
  return {
    getValue: (key) => values.get(key),
    setValue: (key, value) => below(undefined, new Map(values).set(key, value)),
    deleteValue: (key) => below(undefined, new Map([...values].filter(([name]) => name !== key))),
  };
}
