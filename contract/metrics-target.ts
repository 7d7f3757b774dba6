import { parseListenAddress, type ListenAddress } from './listen-address.ts';

/** Where a worker's metrics go. A process has one exporter, so it is one of these. */
export type MetricsTarget =
  /** Prometheus reads them here; probes are answered, too. Port 0: any free one. */
  | ({ readonly type: 'port' } & ListenAddress)
  /** They are sent to a collector. `url`: as `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT` names it. */
  | {
      readonly type: 'otlp';
      readonly url: string;
      readonly protocol: 'grpc' | 'http/protobuf';
      /** May hold secrets. */
      readonly headers: Readonly<Record<string, string>>;
      readonly everyMs: number;
    };

/** The form of `--metrics-port`, for messages that begin with "expected". */
export const METRICS_PORT_FORM = 'PORT or HOST:PORT to listen on, such as 9464; 0 for any free port';

/** Reads an address to listen on: other machines reach only one that names a host. Undefined if it is none. */
export function parseMetricsPort(text: string): Extract<MetricsTarget, { readonly type: 'port' }> | undefined {
  const address = parseListenAddress(text, '127.0.0.1');
  return address === undefined ? undefined : { type: 'port', ...address };
}
