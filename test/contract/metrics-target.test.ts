import { expect, it } from '@jest/globals';
import { formatListenAddress } from '../../contract/listen-address.ts';
import { parseMetricsPort } from '../../contract/metrics-target.ts';

it.each([
  ['9464', '127.0.0.1', 9464, '127.0.0.1:9464'],
  ['0', '127.0.0.1', 0, '127.0.0.1:0'],
  ['0.0.0.0:9464', '0.0.0.0', 9464, '0.0.0.0:9464'],
  ['[::]:9464', '::', 9464, '[::]:9464'],
  ['worker.example:80', 'worker.example', 80, 'worker.example:80'],
])('%s listens on %s, port %i', (text, host, port, word) => {
  const place = parseMetricsPort(text);
  expect(place).toEqual({ type: 'port', host, port });
  expect(place && formatListenAddress(place)).toBe(word);
});

it.each(['', 'x', ':9464', '65536', '-1', '9464/metrics', 'http://h:1', '::1:9464', '1.5'])(
  '%j is no address',
  (text) => {
    expect(parseMetricsPort(text)).toBeUndefined();
  },
);
