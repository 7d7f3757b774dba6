import { once } from 'node:events';
import { get } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { MetricMeter } from '@temporalio/common';
import type { Logger } from 'pino';
import type { MetricsTarget } from '../../contract/metrics-target.ts';
import { installRuntime } from '../runtime.ts';
import { BUCKETS } from './count-events.ts';

/** What counts in this process: a meter of the SDK's native part, which also counts for itself (`temporal_…`). */
export interface Collected {
  readonly meter: MetricMeter;
  /** What was counted, as Prometheus reads it. */
  readonly read: () => Promise<string>;
}

const EXPORT = { useSecondsForDurations: true, histogramBucketOverrides: { ...BUCKETS } };

/** Ports that are tried: between finding one and using it, another process may take it. */
const TRIES = 5;
/** The SDK answers from memory, ms. */
const READ_MS = 2_000;

/**
 * Collects for a Prometheus. The SDK's exporter has a server of its own, with only `/metrics`: it gets a free port of
 * loopback, where ours reads it (docs/decisions/metrics.md).
 */
export async function collectForPrometheus(log: Logger): Promise<Collected> {
  for (let left = TRIES; ; left--) {
    const port = await freePort();
    const prometheus = { bindAddress: `127.0.0.1:${String(port)}`, countersTotalSuffix: true, unitSuffix: true };
    try {
      const { metricMeter: meter } = installRuntime(log, {
        attachServiceName: false,
        prometheus: { ...prometheus, ...EXPORT },
      });
      return { meter, read: () => readText(port) };
    } catch (error) {
      if (left === 1) throw error;
    }
  }
}

/** Has what is counted sent to a collector. */
export function exportToCollector(log: Logger, { url, protocol, headers, everyMs }: Otlp): MetricMeter {
  const otel = { url, http: protocol !== 'grpc', headers: { ...headers }, metricsExportInterval: everyMs };
  return installRuntime(log, { otel: { ...otel, ...EXPORT } }).metricMeter;
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
  const request = get({ host: '127.0.0.1', port, path: '/metrics', agent: false, timeout: READ_MS });
  request.on('timeout', () => request.destroy(new Error('no answer')));
  const [answer] = (await once(request, 'response')) as [Parameters<typeof text>[0]];
  return text(answer);
}
