/** Where a worker's metrics go. A process has one exporter, so it is one of these. */
export type MetricsPlace =
  /** Prometheus reads them here; probes are answered, too. Port 0: any free one. */
  | { readonly type: 'port'; readonly host: string; readonly port: number }
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

const ADDRESS = /^(?:(?<host>\[[\da-fA-F:.]+\]|[\w.-]+):)?(?<port>\d{1,5})$/;

/** Reads an address to listen on: other machines reach only one that names a host. Undefined if it is none. */
export function readMetricsPort(text: string): Extract<MetricsPlace, { readonly type: 'port' }> | undefined {
  const { host = '127.0.0.1', port } = ADDRESS.exec(text)?.groups ?? {};
  if (port === undefined || Number(port) > 65_535) return undefined;
  return { type: 'port', host: host.startsWith('[') ? host.slice(1, -1) : host, port: Number(port) };
}

/** The place as `--metrics-port` takes it. */
export function metricsPortWord({ host, port }: Extract<MetricsPlace, { readonly type: 'port' }>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}
