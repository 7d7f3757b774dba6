import { writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { serve } from '../../support/api-server.ts';
import { lineForEach, run } from '../command-line.ts';

lineForEach();

it('plan fetches nothing of a private network, with --probe neither, says that media are asked for, and asks none with --cache fresh', async () => {
  // No API is set up here, so a server of this machine is one of a private network.
  const server = await serve((_request, response) =>
    response.writeHead(200, { etag: '"v1"', 'content-length': 3 }).end('abc'),
  );
  await writeFile('lines.csv', `id,audio\na,${server.origin}/a.mp3\nb,${server.origin}/b.mp3\n`);
  for (const [flags, times] of [
    ['', 1],
    ['--probe', 1],
    ['--cache fresh', 0],
  ] as const) {
    const { code, stderr } = await run(`plan lines.csv ${flags}`);
    expect(code).toBe(0);
    expect(stderr.match(/Asks the servers of the media what each file is/g) ?? []).toHaveLength(times);
  }
  expect(server.seen).toEqual([]);
});
