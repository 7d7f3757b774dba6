import { readOtlp } from '../../client/metrics/read-otlp.ts';
import type { Settings } from '../../client/settings.ts';
import { parseMetricsPort } from '../../contract/metrics-target.ts';
import { usageError } from '../exit-error.ts';

/**
 * The settings with where the metrics of this command's worker go: to the port, else where OpenTelemetry's environment
 * says. Throws {@link ExitError} `usage`.
 */
export function withMetrics<Given extends Pick<Settings, 'env' | 'metrics'>>(
  settings: Given,
  { metricsPort }: { readonly metricsPort?: string },
): Given {
  if (metricsPort !== undefined) return { ...settings, metrics: parseMetricsPort(metricsPort) };
  const sent = readOtlp(settings.env);
  if (sent !== undefined && 'expected' in sent) throw usageError(`${sent.variable}: expected ${sent.expected}.`);
  return { ...settings, metrics: sent };
}

/** The environment by which metrics are sent, for a process that works for this one. Its headers may be secret. */
export function otlpEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('OTEL_')));
}
