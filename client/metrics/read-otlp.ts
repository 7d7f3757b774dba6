import type { MetricsTarget } from '../../contract/metrics-target.ts';

type Otlp = Extract<MetricsTarget, { readonly type: 'otlp' }>;

/** Default interval of sending, ms: short, because a process that ends waits for the last send. */
const SEND_EVERY_MS = 2_000;

/**
 * Reads from OpenTelemetry's standard variables where to send metrics; undefined if they are not to be sent. If a
 * variable is invalid, returns its name and what is `expected`.
 */
export function readOtlp(
  env: NodeJS.ProcessEnv,
): Otlp | { readonly variable: string; readonly expected: string } | undefined {
  // As OpenTelemetry specifies, an empty variable counts as not set, and a variable for metrics overrides the general
  // one.
  const ofMetrics = (name: string): string | undefined =>
    env[`OTEL_EXPORTER_OTLP_METRICS_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || undefined;
  const given = ofMetrics('ENDPOINT');
  const isOff = env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_METRICS_EXPORTER'] === 'none';
  if (given === undefined || isOff) return undefined;
  const isOwn = (env['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'] ?? '') !== '';
  const variable = `OTEL_EXPORTER_OTLP_${isOwn ? 'METRICS_' : ''}ENDPOINT`;
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    return { variable, expected: 'an http or https URL, such as http://localhost:4318' };
  const protocol = ofMetrics('PROTOCOL') ?? 'http/protobuf';
  if (protocol !== 'grpc' && protocol !== 'http/protobuf')
    return { variable: 'OTEL_EXPORTER_OTLP_PROTOCOL', expected: 'grpc or http/protobuf' };
  // The general endpoint is a base URL; one for metrics is used as it is.
  const url = isOwn || protocol === 'grpc' ? given : `${given.replace(/\/$/, '')}/v1/metrics`;
  const everyMs = Number(env['OTEL_METRIC_EXPORT_INTERVAL'] || SEND_EVERY_MS);
  if (!Number.isSafeInteger(everyMs) || everyMs < 1)
    return { variable: 'OTEL_METRIC_EXPORT_INTERVAL', expected: 'a whole number of milliseconds' };
  const headers = readHeaders(ofMetrics('HEADERS') ?? '');
  if (headers === undefined)
    return { variable: 'OTEL_EXPORTER_OTLP_HEADERS', expected: 'name=value, separated by commas' };
  return { type: 'otlp', url, protocol, headers, everyMs };
}

/** Parses `name=value,other=value`, with values in URL encoding. Undefined if malformed. */
function readHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  try {
    const entries = pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new URIError();
      return [pair.slice(0, at).trim().toLowerCase(), decodeURIComponent(pair.slice(at + 1).trim())] as const;
    });
    return Object.fromEntries(entries);
  } catch {
    return undefined;
  }
}
