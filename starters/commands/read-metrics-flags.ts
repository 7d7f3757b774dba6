import { readOtlp } from '../../client/metrics/read-otlp.ts';
import type { Settings } from '../../client/settings.ts';
import { parseMetricsPort } from '../../contract/metrics-target.ts';
import { usageError } from '../exit-error.ts';

/**
 * Returns the settings with the destination of this worker's metrics: `--metrics-port`, else that of OpenTelemetry's
 * environment variables, else none. Throws {@link ExitError} `usage`.
 */
export function withMetrics<Given extends Pick<Settings, 'env' | 'metrics'>>(
  settings: Given,
  { metricsPort }: { readonly metricsPort?: string },
): Given {
  if (metricsPort !== undefined) return { ...settings, metrics: parseMetricsPort(metricsPort) };
  const otlp = readOtlp(settings.env);
  if (otlp !== undefined && 'expected' in otlp) throw usageError(`${otlp.variable}: expected ${otlp.expected}.`);
  return { ...settings, metrics: otlp };
}

/** Returns OpenTelemetry's variables, for a background process of this command. Their headers may be secret. */
export function otlpEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('OTEL_')));
}
