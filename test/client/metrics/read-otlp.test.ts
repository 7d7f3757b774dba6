import { expect, it } from '@jest/globals';
import { readMetricsOptions } from '../../../client/metrics/metrics-options.ts';
import { readOtlp } from '../../../client/metrics/read-otlp.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const DEFAULTS = { type: 'otlp', protocol: 'http/protobuf', headers: {}, everyMs: 2_000 };

it.each([
  [{}, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, undefined],
  [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }, undefined],
  [{ ...ENDPOINT, OTEL_METRICS_EXPORTER: 'none' }, undefined],
  [ENDPOINT, { ...DEFAULTS, url: 'http://collector:4318/v1/metrics' }],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example/otlp/' },
    { ...DEFAULTS, url: 'https://c.example/otlp/v1/metrics' },
  ],
  [
    { ...ENDPOINT, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://other:4318/x' },
    { ...DEFAULTS, url: 'http://other:4318/x' },
  ],
  [
    { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { ...DEFAULTS, protocol: 'grpc', url: 'http://collector:4318' },
  ],
  [
    {
      ...ENDPOINT,
      OTEL_METRIC_EXPORT_INTERVAL: '500',
      OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=a%20b, authorization=Basic%20Zm9v%3D',
    },
    {
      ...DEFAULTS,
      url: 'http://collector:4318/v1/metrics',
      everyMs: 500,
      headers: { 'x-key': 'a b', authorization: 'Basic Zm9v=' },
    },
  ],
])('%j', (env, place) => expect(readOtlp(env)).toEqual(place));

it.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'ftp://c' }, 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'OTEL_EXPORTER_OTLP_PROTOCOL'],
  [{ ...ENDPOINT, OTEL_METRIC_EXPORT_INTERVAL: 'often' }, 'OTEL_METRIC_EXPORT_INTERVAL'],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'key=%ZZ' }, 'OTEL_EXPORTER_OTLP_HEADERS'],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'a-secret' }, 'OTEL_EXPORTER_OTLP_HEADERS'],
])('%j is refused by its name, and its value is not shown', (env, variable) => {
  expect(readOtlp(env)).toMatchObject({ variable, expected: expect.not.stringContaining('a-secret') });
  expect(() => readMetricsOptions({ environment: env })).toThrow(`metrics.environment.${variable}`);
});

it('a program names a port or an environment', () => {
  expect(readMetricsOptions({ port: 9464 })).toEqual({ type: 'port', host: '127.0.0.1', port: 9464 });
  expect(readMetricsOptions({ environment: ENDPOINT })).toMatchObject({ url: 'http://collector:4318/v1/metrics' });
  expect(() => readMetricsOptions({ port: 'x' })).toThrow('metrics.port');
  expect(() => readMetricsOptions({ environment: {} })).toThrow('OTEL_EXPORTER_OTLP_ENDPOINT');
});
