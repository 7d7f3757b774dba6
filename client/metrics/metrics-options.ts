import { METRICS_PORT_FORM, parseMetricsPort, type MetricsTarget } from '../../contract/metrics-target.ts';
import { refuseOption } from '../problem.ts';
import { readOtlp } from './read-otlp.ts';

/**
 * Where the metrics of this process's worker go: Prometheus reads them from a port, or they are sent to a collector.
 */
export type MetricsOptions =
  /** `PORT` or `HOST:PORT`, as `--metrics-port` takes it. */
  | { readonly port: number | string }
  /** OpenTelemetry's variables (`OTEL_EXPORTER_OTLP_ENDPOINT` …) by name. The process's environment is not read. */
  | { readonly environment: Readonly<Record<string, string>> };

/** Returns the target that metrics options name. Throws {@link VoxbatchError} (`bad-option`). */
export function readMetricsOptions(options: MetricsOptions): MetricsTarget {
  if ('port' in options) {
    const target = parseMetricsPort(String(options.port));
    return target ?? refuseOption('metrics.port', METRICS_PORT_FORM, options.port);
  }
  const target = readOtlp(options.environment);
  const variable = target !== undefined && 'expected' in target ? target.variable : 'OTEL_EXPORTER_OTLP_ENDPOINT';
  if (target !== undefined && !('expected' in target)) return target;
  // Do not quote the value: it may hold a secret.
  return refuseOption(`metrics.environment.${variable}`, target?.expected ?? 'where to send them', 'something else');
}
