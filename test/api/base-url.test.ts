import { describe, expect, it } from '@jest/globals';
import { readBaseUrl } from '../../api/base-url.ts';

describe('readBaseUrl', () => {
  it.each([
    ['https://host.example/api/open/v1', 'https://host.example/api/open/v1'],
    [' https://host.example/api/open/v1/// ', 'https://host.example/api/open/v1'],
    ['https://host.example/api/open/v1/api/open/v1/', 'https://host.example/api/open/v1'],
    ['https://HOST.example:443/gateway/api/open/v1', 'https://host.example/gateway/api/open/v1'],
    ['http://127.0.0.1:8080/api/open/v1', 'http://127.0.0.1:8080/api/open/v1'],
    ['http://localhost:8080/api/open/v1', 'http://localhost:8080/api/open/v1'],
    ['http://[::1]:8080/api/open/v1', 'http://[::1]:8080/api/open/v1'],
  ])('reads %j', (text, baseUrl) => expect(readBaseUrl(text)).toEqual({ baseUrl, origin: new URL(baseUrl).origin }));

  it.each([
    ['', 'not a URL'],
    ['host.example/api/open/v1', 'not a URL'],
    ['ftp://host.example/api/open/v1', 'scheme ftp:'],
    ['https://host.example', 'path /'],
    ['https://host.example/api/open/v2', 'path /api/open/v2'],
    ['https://host.example/api/open/v1/speech', 'path /api/open/v1/speech'],
    ['https://me:secret@host.example/api/open/v1', 'user name'],
    ['https://host.example/api/open/v1?token=secret', 'query'],
    ['http://host.example/api/open/v1', 'http for host.example'],
    ['http://127.evil.example/api/open/v1', 'http for'],
  ])('refuses %j', (text, words) => {
    expect(() => readBaseUrl(text)).toThrow(words);
    expect(() => readBaseUrl(text)).not.toThrow('secret');
  });

  it('takes http to another host only when told so', () => {
    expect(readBaseUrl('http://simulator:80/api/open/v1', { allowHttp: true }).origin).toBe('http://simulator');
  });
});
