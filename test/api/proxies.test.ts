import { describe, expect, it } from '@jest/globals';
import { BadProxy, type Proxy, type ProxyTarget, readProxies } from '../../api/proxies.ts';

const PROXY = 'http://proxy.example:3128';

function target(url: string): ProxyTarget {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === 'https:';
  return {
    protocol: isSecure ? 'https:' : 'http:',
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
  };
}

/** The name of the proxy to a server, in an environment. */
function nameOf(env: Record<string, string>, url: string): string | undefined {
  return (readProxies(env)?.(target(url)) as Proxy | undefined)?.name;
}

describe('readProxies', () => {
  it('knows none where none is set', () => {
    expect(readProxies({})).toBeUndefined();
    expect(readProxies({ HTTPS_PROXY: '', no_proxy: 'x' })).toBeUndefined();
  });

  it.each([
    [{ HTTPS_PROXY: PROXY }, 'https://api.example/', 'proxy.example:3128'],
    [{ https_proxy: PROXY }, 'https://api.example/', 'proxy.example:3128'],
    [{ https_proxy: 'http://lower.example:1', HTTPS_PROXY: PROXY }, 'https://api.example/', 'lower.example:1'],
    [{ HTTPS_PROXY: 'proxy.example:3128' }, 'https://api.example/', 'proxy.example:3128'],
    [{ HTTPS_PROXY: 'http://proxy.example' }, 'https://api.example/', 'proxy.example:80'],
    [{ HTTPS_PROXY: 'https://proxy.example' }, 'https://api.example/', 'proxy.example:443'],
    [{ HTTPS_PROXY: 'http://[fd00::1]:8' }, 'https://api.example/', '[fd00::1]:8'],
    [{ HTTPS_PROXY: PROXY }, 'http://api.example/', undefined],
    [{ HTTP_PROXY: PROXY }, 'http://cdn.example/', 'proxy.example:3128'],
    [{ HTTP_PROXY: PROXY }, 'https://cdn.example/', undefined],
    [{ ALL_PROXY: PROXY }, 'https://cdn.example/', undefined],
  ])('with %j reaches %s through %s', (env, url, name) => expect(nameOf(env, url)).toBe(name));

  it.each(['https://localhost/', 'http://127.0.0.1:8080/', 'https://127.9.9.9/', 'https://[::1]/'])(
    'reaches %s, which is this machine, directly',
    (url) => {
      expect(readProxies({ HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY })?.(target(url))).toBeUndefined();
    },
  );

  it.each([
    ['*', 'https://api.example/', true],
    ['other.example, *', 'https://api.example/', true],
    ['api.example', 'https://api.example/', true],
    ['API.example', 'https://api.example./', true],
    ['example', 'https://api.example/', true],
    ['.example', 'https://api.example/', true],
    ['*.example', 'https://api.example/', true],
    ['.api.example', 'https://api.example/', true],
    ['pi.example', 'https://api.example/', false],
    ['a.example b.example', 'https://b.example/', true],
    ['api.example:443', 'https://api.example/', true],
    ['api.example:8443', 'https://api.example/', false],
    ['10.0.0.0/8', 'https://10.1.2.3/', true],
    ['10.0.0.0/8', 'https://11.1.2.3/', false],
    ['10.0.0.0/99', 'https://10.1.2.3/', false],
    ['10.0.0.0/8', 'https://ten.example/', false],
    ['192.0.2.7', 'https://192.0.2.7/', true],
    ['192.0.2.7:8443', 'https://192.0.2.7/', false],
    ['fd00::/8', 'https://[fd00::5]/', true],
    ['[fd00::5]:443', 'https://[fd00::5]/', true],
    ['fd00::5', 'https://[fd00::6]/', false],
    ['', 'https://api.example/', false],
  ])('takes NO_PROXY=%j for %s: %p', (list, url, isDirect) => {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      const found = readProxies({ HTTPS_PROXY: PROXY, [name]: list })?.(target(url));
      expect(found === undefined).toBe(isDirect);
    }
  });

  it('keeps the credentials apart from what people are shown', () => {
    const found = readProxies({ HTTPS_PROXY: 'http://me:p%40ss@proxy.example:3128' })?.(target('https://a.example/'));
    expect(found).toEqual({
      name: 'proxy.example:3128',
      variable: 'HTTPS_PROXY',
      isSecure: false,
      hostname: 'proxy.example',
      port: 3128,
      authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
    });
  });

  it.each([
    ['socks5://me:secret@proxy.example:1080', 'HTTPS_PROXY has the scheme socks5:'],
    ['http://me:secret@', 'HTTPS_PROXY is not a URL'],
    ['http://me:secret%@proxy.example', 'HTTPS_PROXY has a user name or password with a lone %'],
  ])('refuses %s, and never repeats what is secret in it', (text, words) => {
    const refused = readProxies({ HTTPS_PROXY: text })?.(target('https://a.example/'));
    expect(refused).toBeInstanceOf(BadProxy);
    const { message } = refused as BadProxy;
    expect(message).toContain(words);
    expect(message).not.toContain('secret');
  });

  it.each([
    [{ HTTP_PROXY: 'socks5://proxy.example:1080' }, 'https://api.example/'],
    [{ HTTPS_PROXY: 'socks5://proxy.example:1080', NO_PROXY: '*' }, 'https://api.example/'],
    [{ HTTPS_PROXY: 'http://me:%@proxy.example' }, 'https://127.0.0.1/'],
  ])('lets %j be where %s does not need it', (env, url) => expect(readProxies(env)?.(target(url))).toBeUndefined());
});
