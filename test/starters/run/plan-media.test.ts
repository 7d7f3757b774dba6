import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { serve, type TestServer } from '../../support/api-server.ts';
import { openCommandLine, type CommandLine, run } from '../command-line.ts';

/** What `plan` fetches of a manifest. No API is set up here, so a server of this machine is one of a private network. */

let line: CommandLine;
let server: TestServer;
beforeEach(async () => {
  line = await openCommandLine();
  server = await serve((_request, response) =>
    response.writeHead(200, { etag: '"v1"', 'content-length': 3 }).end('abc'),
  );
  await writeFile('lines.csv', `id,audio\na,${server.origin}/a.mp3\nb,${server.origin}/b.mp3\n`);
});
afterEach(() => line.close());

it('is nothing of a private network, with --probe neither, and it says that media are asked for', async () => {
  for (const flags of [[], ['--probe']]) {
    const { code, stderr } = await run('plan', 'lines.csv', ...flags);
    expect(code).toBe(0);
    expect(stderr.match(/Asks the servers of the media what each file is/g)).toHaveLength(1);
  }
  expect(server.seen).toEqual([]);
});

it('is nothing at all with --cache fresh', async () => {
  const { stderr } = await run('plan', 'lines.csv', '--cache', 'fresh');
  expect(stderr).not.toContain('Asks the servers');
  expect(server.seen).toEqual([]);
});
