import net from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { listen, serve, type TestServer } from '../support/api-server.ts';
import { keyOf, tts, lipSync } from './rows.ts';
import type { Worker } from './worker.ts';
import { createWorld, begin, type World } from './world.ts';

/** Answers that lie, of docs/decisions/one-charge.md. */

/** A batch and a worker behind a server that stands before the service. */
async function behind(world: World, front: TestServer): Promise<Worker> {
  const apiUrl = `${front.origin}/api/open/v1`;
  await world.fill([tts('first'), tts('second')], { apiUrl });
  return world.worker({ apiUrl });
}

describe('one charge: answers that lie', () => {
  it('accepted, charged, then 500', async () => {
    const { world, worker } = await begin([tts(), lipSync()], {
      rules: [{ on: 'create', fault: 'accept-then-500' }],
      echoInputs: true,
    });
    expect(await worker.drive(1, 2)).toEqual({ type: 'ended' });
    expect(await world.row(1)).toMatchObject({ outcome: 'unknown', failure: { class: 'OutcomeUnknown', status: 500 } });
    expect((await world.row(2)).outcome).toBe('succeeded');
    for (const key of [keyOf(1), keyOf(1, 2)]) await worker.submit(key);
    expect([world.charges().length, await world.paidRequests()]).toEqual([2, 2]);
  });

  it('a 2xx without a job id', async () => {
    const { world, worker } = await begin([tts()], {
      rules: [{ on: 'create', fault: { kind: 'html', accepted: true } }],
    });
    expect(await worker.submit(keyOf(1))).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    expect(await world.row()).toMatchObject({ outcome: 'unknown', failure: { class: 'OutcomeUnknown', status: 200 } });
    await worker.submit(keyOf(1, 2));
    expect(world.charges()).toHaveLength(1);
  });

  it('the first answer names a job that another row has', async () => {
    const jobs = new Map<string, string>();
    const { world, worker } = await begin([tts('one'), tts('two'), lipSync(1), lipSync(2), tts('one')], {
      echoInputs: true,
      api: (api) => ({
        // Each kind of request is answered with the job of the first one.
        send: async (request, options) => {
          const verdict = await api.send(request, options);
          if (verdict.verdict !== 'accepted') return verdict;
          const jobId = jobs.get(request.operation) ?? verdict.jobId;
          jobs.set(request.operation, jobId);
          return { ...verdict, jobId, credits: 0 };
        },
      }),
    });
    for (const row of [1, 2, 3, 4, 5]) expect(await worker.drive(row)).toEqual({ type: 'ended' });
    const [one, two, face, other, same] = await Promise.all([1, 2, 3, 4, 5].map((row) => world.row(row)));
    expect(two).toMatchObject({ outcome: 'unknown', file: null, text: null });
    expect(two?.failure?.message).toContain('which row 1 of batch');
    // The list shows what the request of this row made.
    expect(await world.attempts(4)).toEqual(['lip-sync 1 accepted']);
    expect(other?.outcome).toBe('succeeded');
    expect(other?.file?.sha256).not.toBe(face?.file?.sha256);
    // An equal request may have made the same job.
    expect(same?.file?.sha256).toBe(one?.file?.sha256);
    expect([(await world.ledger.money('b')).uncertain]).toEqual(two?.charges.map(({ quoted }) => quoted));
    expect(world.charges()).toHaveLength(5);
  });

  it('a kept-alive connection that was already dead', async () => {
    const world = await createWorld();
    // It goes away without a word as soon as a second request is written to a connection.
    const server = net.createServer((client) => {
      const service = net.connect(world.simulator.port, '127.0.0.1');
      for (const socket of [client, service]) socket.on('error', () => undefined);
      let posts = 0;
      client.on('data', (chunk: Buffer) => {
        posts += chunk.includes('POST ') ? 1 : 0;
        if (posts > 1) client.destroy();
        else service.write(chunk);
      });
      service.pipe(client);
      client.on('close', () => service.destroy());
    });
    const front = await listen(server, []);
    const worker = await behind(world, front);
    expect(await worker.submit(keyOf(1))).toMatchObject({ verdict: 'accepted' });
    expect(await worker.submit(keyOf(2))).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    expect(front.connections()).toBe(1);
    expect(world.charges().map(({ text }) => text)).toEqual(['first']);
  });

  it('a redirect', async () => {
    const world = await createWorld();
    const front = await serve((request, response) => {
      response.writeHead(307, { location: new URL(request.url, world.simulator.url).href });
      response.end();
    });
    const worker = await behind(world, front);
    expect(await worker.submit(keyOf(1))).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    expect([front.seen.length, await world.paidRequests()]).toEqual([1, 0]);
  });
});
