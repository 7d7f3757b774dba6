import { parseListenAddress, type ListenAddress } from './listen-address.ts';

/** Where a worker's metrics go. A process can have only one exporter. */
export type MetricsTarget =
  /** Prometheus scrapes this address, which also answers health probes. Port 0: any free one. */
  | ({ readonly type: 'port' } & ListenAddress)
  /** They are pushed to an OpenTelemetry collector. `url`: in the form of `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT`. */
  | {
      readonly type: 'otlp';
      readonly url: string;
      readonly protocol: 'grpc' | 'http/protobuf';
      /** HTTP headers; may hold secrets. */
      readonly headers: Readonly<Record<string, string>>;
      /** Export interval, ms. */
      readonly everyMs: number;
    };

/** The form of `--metrics-port`, for messages that begin with "expected". */
export const METRICS_PORT_FORM = 'PORT or HOST:PORT to listen on, such as 9464; 0 for any free port';

/**
 * Parses a value of `--metrics-port`; undefined if it is invalid. Without a host it is a loopback address, which other
 * machines cannot reach.
 */
export function parseMetricsPort(text: string): Extract<MetricsTarget, { readonly type: 'port' }> | undefined {
  const address = parseListenAddress(text, '127.0.0.1');
  return address === undefined ? undefined : { type: 'port', ...address };
}
