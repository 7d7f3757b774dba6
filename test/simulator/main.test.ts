import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from '@jest/globals';
import { compiledOf } from '../compiled.mjs';
import { fetchWhole, jobIdIn, linkIn } from './with-simulator.ts';

function start(...flags: string[]): ChildProcess {
  return spawn(process.execPath, [compiledOf('simulator/main.ts'), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, VOXBATCH_API_TOKEN: 'from-environment' },
  });
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no stdout');
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  return line;
}

describe('the simulator as a process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('serves until %s, with the token of the environment', async (signal) => {
    const child = start('--create-ms', '0', '--job-ms', '0');
    const ended = once(child, 'exit');
    const url = await firstLine(child);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/open\/v1$/);
    const headers = { authorization: 'Bearer from-environment', 'content-type': 'application/json' };
    const body = JSON.stringify({ text: 'One line.', voiceId: 'narrator' });
    const created = await fetchWhole(`${url}/speech/tts/jobs`, { method: 'POST', headers, body });
    expect(created.status).toBe(202);
    const job = await fetchWhole(`${url}/speech/tts/jobs/${jobIdIn(created)}`, { headers });
    const file = await fetchWhole(linkIn(job));
    expect([file.status, file.contentType, file.bytes.length]).toEqual([200, 'audio/mpeg', 25 * 96]);
    child.kill(signal);
    expect(await ended).toEqual([0, null]);
  });

  it('ends with 2 and names the flag that it cannot read', async () => {
    const child = start('--job-ms', 'soon');
    let words = '';
    child.stderr?.on('data', (chunk: Buffer) => (words += chunk.toString()));
    expect(await once(child, 'close')).toEqual([2, null]);
    expect(words).toContain('--job-ms');
  });

  it('ends with 1 where the port is taken', async () => {
    const first = start();
    const port = new URL(await firstLine(first)).port;
    const second = start('--port', port);
    let words = '';
    second.stderr?.on('data', (chunk: Buffer) => (words += chunk.toString()));
    expect(await once(second, 'close')).toEqual([1, null]);
    expect(words).toContain('EADDRINUSE');
    first.kill('SIGTERM');
    await once(first, 'exit');
  });
});
