import type { Observe } from '../../contract/work-events.ts';
import { voxbatchVersion } from '../version.ts';

/**
 * Opens the traces of this process's worker, and loads them only where the process has registered an SDK of
 * OpenTelemetry; otherwise undefined.
 */
export async function openTraces(apiUrl: string): Promise<Observe | undefined> {
  if (!(Symbol.for('opentelemetry.js.api.1') in globalThis)) return undefined;
  const { findTracer } = await import('../../worker/traces/opentelemetry.ts');
  const tracer = findTracer(voxbatchVersion());
  return tracer && (await import('../../worker/traces/trace-events.ts')).traceEvents(tracer, apiUrl);
}
