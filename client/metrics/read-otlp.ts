import type { MetricsTarget } from '../../contract/metrics-target.ts';

type Otlp = Extract<MetricsTarget, { readonly type: 'otlp' }>;

/** How often metrics are sent, ms: what was counted last before an end should not wait long. */
const SEND_EVERY_MS = 2_000;

/**
 * Where OpenTelemetry's standard environment has metrics sent; undefined: nowhere. `expected`: the variable of this
 * name has something else.
 */
export function readOtlp(
  env: NodeJS.ProcessEnv,
): Otlp | { readonly variable: string; readonly expected: string } | undefined {
  // An empty variable counts as not set, as OpenTelemetry has it. What is said of metrics goes before what is said of
  // all.
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
  // Only a place for everything is a folder.
  const url = isOwn || protocol === 'grpc' ? given : `${given.replace(/\/$/, '')}/v1/metrics`;
  const everyMs = Number(env['OTEL_METRIC_EXPORT_INTERVAL'] || SEND_EVERY_MS);
  if (!Number.isSafeInteger(everyMs) || everyMs < 1)
    return { variable: 'OTEL_METRIC_EXPORT_INTERVAL', expected: 'a whole number of milliseconds' };
  const headers = readHeaders(ofMetrics('HEADERS') ?? '');
  if (headers === undefined)
    return { variable: 'OTEL_EXPORTER_OTLP_HEADERS', expected: 'name=value, separated by commas' };
  return { type: 'otlp', url, protocol, headers, everyMs };
}

/** `name=value,other=value`, each value in URL encoding. Undefined if it is not that. */
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
