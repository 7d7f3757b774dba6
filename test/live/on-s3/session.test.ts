/** @slow */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type S3Server, startS3 } from '../../s3-server.mjs';
import { expectWhole } from '../../support/batch-end.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { LiveWorld } from '../../support/live-world.ts';
import { fetchesOf, keepSample } from '../../support/local-media.ts';

/** Local media by a bucket whose credentials are a session, as a container gets it from its host. */

const MINUTE = 60_000;
const WARNING = 'links to local files end with the session of the AWS credentials, which lasts 50m';

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.stop());

interface Host {
  readonly env: NodeJS.ProcessEnv;
  /** Sessions that it has given. */
  given: number;
  /** How long each of them lasts, ms. */
  lastsMs: number;
}

/** A host that gives sessions to who asks. */
async function startHost(): Promise<Host> {
  const { AWS_ACCESS_KEY_ID: AccessKeyId, AWS_SECRET_ACCESS_KEY: SecretAccessKey, ...server } = s3.env;
  const listener = createServer((_request, response) => {
    host.given += 1;
    const Expiration = new Date(Date.now() + host.lastsMs).toISOString();
    response.setHeader('content-type', 'application/json');
    // This S3 server knows no tokens of sessions.
    response.end(JSON.stringify({ AccessKeyId, SecretAccessKey, Token: '', Expiration }));
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  endAfterTest(() => listener.close());
  const url = `http://127.0.0.1:${String((listener.address() as AddressInfo).port)}/keys`;
  const env = { ...server, AWS_CONTAINER_CREDENTIALS_FULL_URI: url, VOXBATCH_STORE: 's3://media/session' };
  const host: Host = { env, given: 0, lastsMs: 50.5 * MINUTE };
  return host;
}

it('links end with the session: told before money is spent, signed in new sessions, and never sent when they are dying', async () => {
  const host = await startHost();
  const { env } = host;
  const world = await LiveWorld.open({ fetchMedia: true, jobMs: [300, 500], config: { polling: { gapMs: 300 } } });
  await keepSample(world, 'face.mp4');
  await world.write('lines.csv', 'id,kind,video,audio\na,lip-sync,face.mp4,face.mp4\nb,lip-sync,face.mp4,face.mp4\n');
  const told = `line 2, column video: ${WARNING}`;

  expect((await world.run(['doctor'], { env })).stdout).toContain(WARNING);
  const plan = await world.run(['plan', 'lines.csv', '--json'], { env });
  expect(plan.stderr).toContain(told);
  expect(plan.stdout).toContain(WARNING);
  expect(world.charges().size).toBe(0);

  const ran = await world.run(['run', 'lines.csv', '--cache', 'off'], { env });
  expect(ran.stderr).toContain(told);
  expect(ran.code).toBe(0);
  await expectWhole(world, 'lines', 2);
  const fetches = await fetchesOf(world);
  expect(fetches.map(({ status }) => status)).toEqual(fetches.map(() => 200));
  const signed = new URL(fetches[0]?.url ?? '').searchParams;
  expect(Number(signed.get('X-Amz-Expires'))).toBeLessThanOrEqual(51 * 60);

  const links = await world.run(['results', 'lines', '--media-links', '7d', '--json'], { env });
  expect(links.stderr).toContain('the URLs end sooner than asked for');
  const { until, limit } = JSON.parse(links.stdout) as { readonly until: string; readonly limit: string };
  expect(limit).toBe('session');
  expect(Date.parse(until) - Date.now()).toBeLessThanOrEqual(host.lastsMs);

  const single = await world.run(['lip-sync', 'face.mp4', 'face.mp4', '--cache', 'off'], { env });
  expect({ code: single.code, warned: single.stderr.includes(WARNING) }).toEqual({ code: 0, warned: true });
  const edited = ['redrive', 'lines', '--from', 'lines.csv', '--dry-run'];
  expect((await world.run(edited, { env })).stderr).toContain(WARNING);

  const charged = world.charges().size;
  host.lastsMs = 2 * MINUTE;
  const dying = world.start(['run', 'lines.csv', '--cache', 'off', '--name', 'dying'], { env });
  let explained = '';
  while (!explained.includes('the session of the credentials for the bucket ends'))
    explained = (await world.run(['explain', 'a', '--batch', 'dying'], { env })).stdout;
  expect(world.charges().size).toBe(charged);
  host.lastsMs = 50 * MINUTE;
  expect((await dying.ended).code).toBe(0);
  expect(world.charges().size).toBe(charged + 2);
});
