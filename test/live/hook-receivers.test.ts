/** @slow */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signatureOf } from '../../client/hooks/post-notice.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { Gate } from '../support/gate.ts';
import { LiveWorld, type Running } from '../support/live-world.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 8;
const SECRET = 'hush-hush';
const PATH = '/T0/secret-path';

interface Posted {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
}

/** A receiver that answers as it is told; what it is not told, it leaves open. */
class Receiver {
  readonly posted: Posted[] = [];
  /** Answers one request. */
  answer: (response: ServerResponse) => void = (response) => response.writeHead(204).end();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        this.posted.push({ headers: request.headers, body, path: request.url ?? '' });
        this.answer(response);
      });
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe('--notify', () => {
  let world: LiveWorld;
  let receiver: Receiver;
  let url: string;
  /** Stays, so that a message which outlives the command of its batch has somebody who delivers it. */
  let up: Running;
  const env = { VOXBATCH_NOTIFY_SECRET: SECRET };

  beforeAll(async () => {
    world = await LiveWorld.create({ seed: 12, createMs: [20, 50], jobMs: [200, 400] });
    await world.prepare(ROWS, ['tts']);
    up = world.start(['up'], { env });
    await up.said('Working for account');
  });
  afterAll(async () => {
    up.child.kill('SIGTERM');
    expect(await up.ended).toMatchObject({ code: 0 });
    await world.close();
  });
  beforeEach(async () => {
    receiver = new Receiver();
    url = `http://127.0.0.1:${await receiver.listen()}${PATH}`;
  });
  afterEach(() => receiver.close());

  /** The words of a batch of this name, none of whose results are there already. */
  const runOf = (batch: string, address: string): string[] => [
    ...['run', 'lines.csv', '--name', batch, '--cache', 'off', '--notify', address],
  ];

  /** Waits until no message of the batch is left; expects that all that came were of it, the same, and held no secret. */
  async function untilDelivered(batch: string): Promise<readonly Posted[]> {
    await waitFor(() => areDelivered(batch), undefined, 200);
    const [first] = receiver.posted;
    for (const { headers, body, path } of receiver.posted) {
      const [id, timestamp] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
      expect(headers['webhook-signature']).toBe(signatureOf({ id, timestamp, body, secret: SECRET }));
      expect({ body, path, id }).toEqual({ body: first?.body, path: PATH, id: first?.headers['webhook-id'] });
      for (const secret of [world.simulator.token, SECRET, 'secret-path', 'Line number'])
        expect(JSON.stringify(headers) + body).not.toContain(secret);
    }
    for (const file of await readdir(world.path('.voxbatch', 'logs'))) {
      const log = await readFile(world.path('.voxbatch', 'logs', file), 'utf8');
      for (const secret of [world.simulator.token, SECRET, 'secret-path']) expect(log).not.toContain(secret);
    }
    return receiver.posted;
  }

  /** Whether each message of the batch has been delivered. */
  async function areDelivered(batch: string): Promise<boolean> {
    const ledger = await openLedger(world.path('.voxbatch', 'ledger.db'));
    try {
      const notices = await ledger.noticesOf(batch);
      return notices.length > 0 && notices.every(({ endedAt }) => endedAt !== null);
    } finally {
      await ledger.close();
    }
  }

  it('to a receiver that is away arrives when it is back', async () => {
    const gate = new Gate(Number(new URL(url).port));
    await gate.open();
    await gate.shut();
    const away = `http://127.0.0.1:${String(gate.port)}${PATH}`;
    const run = world.start(runOf('away', away), { env });
    await run.said('failed: 127.0.0.1');
    expect(receiver.posted).toEqual([]);
    await gate.open();
    expect(await run.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('ECONNREFUSED') });
    expect(await untilDelivered('away')).toHaveLength(1);
    await gate.shut();
  });

  it('to a slow receiver delays neither its batch nor another one', async () => {
    const open: ServerResponse[] = [];
    receiver.answer = (response) => open.push(response);
    const run = world.start(runOf('slow', url), { env });
    await waitFor(() => receiver.posted.length > 0);
    expect(existsSync(world.path('out', 'slow', 'summary.json'))).toBe(true);
    // Its rows have ended, and its hook is still to be told.
    expect(await world.status('slow')).toMatchObject({ state: 'closed', exit: 'goesOn' });
    expect(await world.run(['run', 'lines.csv', '--name', 'other', '--cache', 'off'])).toMatchObject({ code: 0 });
    expect(await world.status('other')).toMatchObject({ state: 'closed', exit: 'complete' });
    receiver.answer = (response) => response.writeHead(204).end();
    for (const response of open) receiver.answer(response);
    expect(await run.ended).toMatchObject({ code: 0 });
    await untilDelivered('slow');
  });

  it('to a receiver that answers 500 comes again with the same id until it is taken', async () => {
    const answers = [500, 503];
    receiver.answer = (response) => response.writeHead(answers.shift() ?? 200).end();
    expect(await world.run(runOf('failing', url), { env })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/--notify of batch "failing" failed: 127\.0\.0\.1:\d+ answered 500\./),
    });
    expect((await untilDelivered('failing')).length).toBeGreaterThanOrEqual(3);
  });

  it('to a receiver that redirects goes nowhere else, and comes again', async () => {
    const other = new Receiver();
    const location = `http://127.0.0.1:${await other.listen()}${PATH}`;
    const answers = [307, 302];
    receiver.answer = (response) => response.writeHead(answers.shift() ?? 200, { location }).end();
    expect(await world.run(runOf('moved', url), { env })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('answered 307'),
    });
    expect((await untilDelivered('moved')).length).toBeGreaterThanOrEqual(3);
    expect(other.posted).toEqual([]);
    await other.close();
  });
});
