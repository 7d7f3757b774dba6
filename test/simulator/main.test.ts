/** @slow */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { fetchWhole, jobIdIn, linkIn } from './with-simulator.ts';

const ROOT = join(import.meta.dirname, '..', '..');
let folder = '';

/** Compiles what the simulator consists of, so that the test runs today's sources and needs no build. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'simulator-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const room of ['simulator', 'contract']) {
    const files = await readdir(join(ROOT, room), { recursive: true });
    for (const file of files.filter((name) => name.endsWith('.ts'))) {
      const { outputText } = ts.transpileModule(await readFile(join(ROOT, room, file), 'utf8'), {
        compilerOptions: {
          module: ts.ModuleKind.ESNext,
          target: ts.ScriptTarget.ES2022,
          rewriteRelativeImportExtensions: true,
        },
      });
      const out = join(folder, room, file.replace(/\.ts$/, '.js'));
      await mkdir(dirname(out), { recursive: true });
      await writeFile(out, outputText);
    }
  }
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

function start(...flags: string[]): ChildProcess {
  return spawn(process.execPath, [join(folder, 'simulator', 'main.js'), ...flags], {
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
