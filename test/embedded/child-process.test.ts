import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { PROXIES, startChild, withoutSecrets } from '../../embedded/child-process.ts';

const ENV = {
  PATH: process.env['PATH'],
  HTTPS_PROXY: 'http://proxy.example:3128',
  no_proxy: 'inside.example',
  NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
  GOPROXY: 'https://proxy.example',
  VOXBATCH_API_TOKEN: 'secret',
  VOXBATCH_HOME: '/home/x',
  TEMPORAL_API_KEY: 'secret',
  temporal_api_key: 'secret',
  TEMPORAL_TLS_CLIENT_KEY_DATA: 'secret',
  GITHUB_TOKEN: 'secret',
  GOOGLE_APPLICATION_CREDENTIALS: '/secret.json',
  MYSQL_PASSWORD: 'secret',
};

describe('the environment of a child', () => {
  it('has what programs need, and neither our settings nor the secrets of others', () => {
    expect(Object.keys(withoutSecrets(ENV)).sort()).toEqual([
      'GOPROXY',
      'HTTPS_PROXY',
      'NODE_EXTRA_CA_CERTS',
      'PATH',
      'no_proxy',
    ]);
  });

  it('has what is named for it, by the very name', () => {
    const env = withoutSecrets(ENV, ['VOXBATCH_API_TOKEN', 'VOXBATCH_CONFIG']);
    expect(Object.keys(env)).toEqual(expect.arrayContaining(['HTTPS_PROXY', 'PATH', 'VOXBATCH_API_TOKEN']));
    expect(Object.keys(env)).not.toContain('VOXBATCH_HOME');
  });

  it('has no address with a password, but for a program that needs it', () => {
    const env = {
      HTTPS_PROXY: 'http://me:secret@proxy.example:3128',
      http_proxy: 'me:secret@proxy.example:3128',
      HTTP_PROXY: 'proxy.example:3128',
      DATABASE_URL: 'postgres://me:secret@db.example/x',
      MAIL: 'me@example.org',
      PAGE: 'https://page.example/@me',
    };
    expect(Object.keys(withoutSecrets(env))).toEqual(['HTTP_PROXY', 'MAIL', 'PAGE']);
    expect(Object.keys(withoutSecrets(env, PROXIES))).toEqual([
      'HTTPS_PROXY',
      'http_proxy',
      'HTTP_PROXY',
      'MAIL',
      'PAGE',
    ]);
  });

  it('is what the child really gets', async () => {
    const child = startChild('env', [], { env: ENV, passes: ['VOXBATCH_HOME'], stdio: ['ignore', 'pipe', 'ignore'] });
    if (child.stdout === null) throw new Error('the child has no stdout');
    const [printed] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect(printed).toContain('VOXBATCH_HOME=/home/x');
    expect(printed).not.toContain('secret');
  });
});
