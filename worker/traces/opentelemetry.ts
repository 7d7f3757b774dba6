// The part of OpenTelemetry API version 1 that voxbatch uses. An SDK that the user has registered provides it through a
// global symbol that all copies of `@opentelemetry/api` share. So voxbatch needs no copy of that package.

/** A tracer of OpenTelemetry. */
export interface Tracer {
  startSpan(name: string, options: SpanOptions, context: Context): Span;
}

interface SpanOptions {
  readonly kind?: SpanKind;
  /** ms since 1970. */
  readonly startTime?: number;
  readonly attributes?: Attributes;
}

/** What a span or event says about itself; the SDK drops undefined values. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** A timed piece of work in a trace. */
export interface Span {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { readonly code: StatusCode }): unknown;
  addEvent(name: string, attributes?: Attributes): unknown;
  end(endTime?: number): void;
}

/** Carries a span's parent. Async context is off here (docs/decisions/cpu.md), so each call passes one explicitly. */
interface Context {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): Context;
  deleteValue(key: symbol): Context;
}

/** `SpanKind.CLIENT` of the API. */
export const SPAN_KIND_CLIENT = 2;
type SpanKind = typeof SPAN_KIND_CLIENT;
/** `SpanStatusCode.ERROR` of the API. */
export const STATUS_ERROR = 2;
type StatusCode = typeof STATUS_ERROR;

/** Returns voxbatch's tracer from the SDK that this process has registered; undefined if there is none. */
export function findTracer(version: string): Tracer | undefined {
  const shared = (globalThis as Record<symbol, unknown>)[Symbol.for('opentelemetry.js.api.1')];
  const { trace } = (shared ?? {}) as { readonly trace?: { getTracer(name: string, version: string): Tracer } };
  return trace?.getTracer('voxbatch', version);
}

const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN');

/** Returns the context for starting a child of this span; without a parent, for starting a root span. */
export function contextOf(parent?: Span): Context {
  return contextWith(new Map([[SPAN_KEY, parent]]));
}

function contextWith(values: ReadonlyMap<symbol, unknown>): Context {
  return {
    getValue: (key) => values.get(key),
    setValue: (key, value) => contextWith(new Map(values).set(key, value)),
    deleteValue: (key) => contextWith(new Map([...values].filter(([name]) => name !== key))),
  };
}
