import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { readPage } from '../docs/pages.ts';
import { replayFolder } from '../support/replay-folder.ts';

const CLI = fileURLToPath(new URL('../../dist/starters/cli.js', import.meta.url));
const ROWS = 8;

/** The commands of the walk as the guide has them, in order; the port of its simulator may be taken here. */
function walk(port: number): string {
  const [, section = ''] = /^## From an empty folder\n(.*?)^## /ms.exec(readPage('docs/guide/schedules.md')) ?? [];
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, commands = '']) => commands);
  return blocks.join('').replaceAll('8080', String(port));
}

/** After the walk: what the simulator was asked to pay for; then what the guide says ends it, waited for. */
const AFTERWARDS = 'curl -s http://127.0.0.1:8080/__simulator/ledger > ../paid.json\nkill %1 %2\nwait\n';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

describe('the walk of the guide to schedules', () => {
  it('leads from an empty folder to a schedule that has run twice, the second time for one changed row', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'voxbatch-walk-')));
    const port = await freePort();
    const bin = join(folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'voxbatch'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
    await chmod(join(bin, 'voxbatch'), 0o755);
    await writeFile(join(folder, 'walk.sh'), `set -e\n${walk(port)}${AFTERWARDS.replaceAll('8080', String(port))}`);
    const { VOXBATCH_TEMPORAL_CLI, HOME, PATH = '' } = process.env;
    const env = { VOXBATCH_TEMPORAL_CLI, HOME, PATH: `${bin}:${PATH}` };
    try {
      const { stdout, stderr } = await promisify(execFile)('bash', ['walk.sh'], { cwd: folder, env });
      expect({ ended: stdout.match(/^ok .* ended, exit code 0/gm)?.length, stdout, stderr }).toMatchObject({
        ended: 2,
      });
      const paid = JSON.parse(await readFile(join(folder, 'paid.json'), 'utf8')) as unknown[];
      expect(paid).toHaveLength(ROWS + 1);
      const out = join(folder, 'catalogue', 'out');
      const batches = (await readdir(out)).sort();
      expect(batches).toHaveLength(2);
      const outcomes = await Promise.all(
        batches.map(async (batch) => {
          const lines = (await readFile(join(out, batch, 'results.jsonl'), 'utf8')).trim().split('\n');
          return lines.map((line) => (JSON.parse(line) as { readonly _outcome: string })._outcome);
        }),
      );
      expect(outcomes).toEqual([
        Array.from({ length: ROWS }, () => 'succeeded'),
        ['succeeded', ...Array.from({ length: ROWS - 1 }, () => 'cached')],
      ]);
      expect(await replayFolder(folder)).toBeGreaterThan(0);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
