import type { Observe } from '../../contract/work-events.ts';
import { voxbatchVersion } from '../version.ts';

/**
 * Opens tracing for this process's worker, if the process has registered an OpenTelemetry SDK; otherwise returns
 * undefined and loads nothing. The caller passes the worker's events to the returned function.
 */
export async function openTraces(apiUrl: string): Promise<Observe | undefined> {
  if (!(Symbol.for('opentelemetry.js.api.1') in globalThis)) return undefined;
  const { findTracer } = await import('../../worker/traces/opentelemetry.ts');
  const tracer = findTracer(voxbatchVersion());
  return tracer && (await import('../../worker/traces/trace-events.ts')).traceEvents(tracer, apiUrl);
}
