import net from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { listen, serve } from '../support/api-server.ts';
import { keyOf, lipSync, tts } from './rows.ts';
import { createWorld } from './world.ts';

/** Answers that lie, of docs/decisions/one-charge.md. */

describe('one charge: answers that lie', () => {
  it('accepted, charged, then 500', async () => {
    const world = await createWorld({
      plan: { rules: [{ on: 'create', fault: 'accept-then-500' }], echoInputs: true },
    });
    await world.fill([tts(), lipSync()]);
    const worker = await world.worker();
    expect(await worker.drive(1)).toEqual({ type: 'ended' });
    expect(await worker.drive(2)).toEqual({ type: 'ended' });
    expect(await world.row(1)).toMatchObject({ outcome: 'unknown', failure: { class: 'OutcomeUnknown', status: 500 } });
    expect((await world.row(2)).outcome).toBe('succeeded');
    for (const key of [keyOf(1), keyOf(1, 2)]) await worker.submit(key);
    expect(world.charges()).toHaveLength(2);
    expect(await world.paidRequests()).toBe(2);
  });

  it('a 2xx without a job id', async () => {
    const world = await createWorld({ plan: { rules: [{ on: 'create', fault: { kind: 'html', accepted: true } }] } });
    await world.fill([tts()]);
    const worker = await world.worker();
    expect(await worker.submit(keyOf(1))).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    expect(await world.row(1)).toMatchObject({ outcome: 'unknown', failure: { class: 'OutcomeUnknown', status: 200 } });
    await worker.submit(keyOf(1, 2));
    expect(world.charges()).toHaveLength(1);
  });

  it('the first answer names a job that another row has', async () => {
    const world = await createWorld({ plan: { rules: [], echoInputs: true } });
    await world.fill([tts('one'), tts('two'), lipSync(1), lipSync(2), tts('one')]);
    const jobs = new Map<string, string>();
    const worker = await world.worker({
      change: ({ api }) => ({
        api: {
          ...api,
          // Each kind of request is answered with the job of the first one.
          send: async (request, options) => {
            const verdict = await api.send(request, options);
            if (verdict.verdict !== 'accepted') return verdict;
            const jobId = jobs.get(request.operation) ?? verdict.jobId;
            jobs.set(request.operation, jobId);
            return { ...verdict, jobId, credits: 0 };
          },
        },
      }),
    });
    for (const row of [1, 2, 3, 4, 5]) expect(await worker.drive(row)).toEqual({ type: 'ended' });
    expect(await world.row(2)).toMatchObject({ outcome: 'unknown', file: null, text: null });
    expect((await world.row(2)).failure?.message).toContain('which row 1 of batch');
    // The list shows what the request of this row made.
    expect(await world.attempts(4)).toEqual(['lip-sync 1 accepted']);
    expect((await world.row(4)).outcome).toBe('succeeded');
    const [first, second] = [await world.row(3), await world.row(4)].map(({ file }) => file?.sha256);
    expect(second).not.toBe(first);
    // An equal request may have made the same job.
    expect((await world.row(5)).file?.sha256).toBe((await world.row(1)).file?.sha256);
    const { uncertain } = await (await world.look()).money('b');
    expect([uncertain]).toEqual((await world.row(2)).charges.map(({ quoted }) => quoted));
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
    const apiUrl = `${front.origin}/api/open/v1`;
    await world.fill([tts('first'), tts('second')], { apiUrl });
    const worker = await world.worker({ apiUrl });
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
    const apiUrl = `${front.origin}/api/open/v1`;
    await world.fill([tts()], { apiUrl });
    const worker = await world.worker({ apiUrl });
    expect(await worker.submit(keyOf(1))).toEqual({ verdict: 'unknown', next: { type: 'ended' } });
    expect(front.seen).toHaveLength(1);
    expect(await world.paidRequests()).toBe(0);
  });
});
