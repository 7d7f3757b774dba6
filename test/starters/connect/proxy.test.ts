/** @slow */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startSimulator, type Simulator } from '../../../simulator/start-simulator.ts';
import { compiledOf } from '../../compiled.mjs';
import { folderForEach } from '../../support/fresh-folder.ts';
import { serveProxy, serveTlsFront, type TestProxy } from '../../support/proxy-server.ts';
import { certify } from '../../support/self-made-ca.ts';

const CLI = compiledOf('starters/cli.ts');
const TOKEN = 'token-of-the-proxy-test';
let simulator: Simulator;
const folder = folderForEach();
let proxy: TestProxy;
let env: Record<string, string>;

/** An API behind a certificate of our own authority, that only the proxy can reach. */
beforeEach(async () => {
  simulator = await startSimulator({ token: TOKEN });
  const { ca, server } = certify('api.example');
  const front = await serveTlsFront(server, Number(new URL(simulator.url).port));
  proxy = await serveProxy((authority) => (authority === 'api.example:443' ? front.port : { status: 403 }));
  await writeFile(folder('ca.pem'), ca);
  env = {
    PATH: process.env['PATH'] ?? '',
    VOXBATCH_API_URL: 'https://api.example/api/open/v1',
    VOXBATCH_API_TOKEN: TOKEN,
    VOXBATCH_HOME: folder('home'),
    VOXBATCH_TEMPORAL_CLI: '/no/temporal',
    HTTPS_PROXY: proxy.origin.replace('//', '//me:pr0xy-s3cret@'),
    NODE_EXTRA_CA_CERTS: folder('ca.pem'),
  };
});
afterEach(() => simulator.close());

/** Runs the command line as a process of its own: Node reads further authorities at its start only. */
async function voxbatch(...words: string[]): Promise<{ readonly code: number | null; readonly out: string }> {
  const child = spawn(process.execPath, [CLI, ...words], {
    cwd: folder(),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(out + err).not.toContain('pr0xy-s3cret');
  expect(out + err).not.toContain(TOKEN);
  return { code: child.exitCode, out: out + err };
}

describe('an API behind a proxy and a private authority', () => {
  it('voxbatch profile: reads the account through the tunnel, with the authority of NODE_EXTRA_CA_CERTS', async () => {
    const { code, out } = await voxbatch('profile');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('user_') });
    expect(proxy.asked).toEqual(['api.example:443']);
    expect(proxy.said()).not.toContain(TOKEN);
  });

  it('is named with its proxy by doctor', async () => {
    const { out } = await voxbatch('doctor');
    expect(out).toContain(`https://api.example/api/open/v1, by a tunnel through the proxy 127.0.0.1:${proxy.port}`);
  });

  it('is not trusted without that authority, and nothing is sent', async () => {
    delete env['NODE_EXTRA_CA_CERTS'];
    const { code, out } = await voxbatch('profile');
    expect({ code, out }).toEqual({ code: 4, out: expect.stringContaining('Nothing was spent.') });
    expect(proxy.said()).not.toContain('HTTP/1.1');
    expect(simulator.ledger()).toEqual([]);
  });

  it('is not asked at all where the setting names no HTTP proxy', async () => {
    env['HTTPS_PROXY'] = 'socks5://me:pr0xy-s3cret@127.0.0.1:1080';
    const { code, out } = await voxbatch('profile');
    expect({ code, out }).toEqual({ code: 5, out: expect.stringContaining('HTTPS_PROXY has the scheme socks5:') });
  });
});
