import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { MetricMeter } from '@temporalio/common';
import type { Logger } from 'pino';
import type { MetricsTarget } from '../../contract/metrics-target.ts';
import { installRuntime } from '../runtime.ts';
import { HISTOGRAM_BUCKETS } from './count-events.ts';

/** A meter of the SDK's runtime, and its metrics, which include those of the SDK itself (`temporal_…`). */
export interface PrometheusExporter {
  readonly meter: MetricMeter;
  /** Reads the metrics in Prometheus' text format. Rejects if the SDK's metrics server does not answer. */
  readonly read: () => Promise<string>;
}

const EXPORT_OPTIONS = { useSecondsForDurations: true, histogramBucketOverrides: { ...HISTOGRAM_BUCKETS } };

/** Max ports to try: another process may take a free port before the SDK does. */
const MAX_TRIES = 5;
/** Timeout of a read of the metrics, ms. The SDK answers from memory. */
const READ_TIMEOUT_MS = 2_000;

/**
 * Installs the SDK's runtime with its Prometheus exporter. That exporter has its own HTTP server, which serves only its
 * own metrics. So it listens on a free port of the loopback address, and `client/metrics` reads the metrics there and
 * serves them with voxbatch's gauges (docs/decisions/metrics.md). Rejects if no port could be used.
 */
export async function startPrometheusExporter(log: Logger): Promise<PrometheusExporter> {
  for (let triesLeft = MAX_TRIES; ; triesLeft--) {
    const port = await freePort();
    const prometheus = { bindAddress: `127.0.0.1:${String(port)}`, countersTotalSuffix: true, unitSuffix: true };
    try {
      const { metricMeter: meter } = installRuntime(log, {
        attachServiceName: false,
        prometheus: { ...prometheus, ...EXPORT_OPTIONS },
      });
      return { meter, read: () => readText(port) };
    } catch (error) {
      if (triesLeft === 1) throw error;
    }
  }
}

/** Installs the SDK's runtime with its OTLP exporter, which sends metrics to a collector. Returns its meter. */
export function startOtlpExporter(log: Logger, { url, protocol, headers, everyMs }: Otlp): MetricMeter {
  const otel = { url, http: protocol !== 'grpc', headers: { ...headers }, metricsExportInterval: everyMs };
  return installRuntime(log, { otel: { ...otel, ...EXPORT_OPTIONS } }).metricMeter;
}

type Otlp = Extract<MetricsTarget, { readonly type: 'otlp' }>;

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function readText(port: number): Promise<string> {
  const request = get({ host: '127.0.0.1', port, path: '/metrics', agent: false, timeout: READ_TIMEOUT_MS });
  request.on('timeout', () => request.destroy(new Error('no answer')));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return text(response);
}
