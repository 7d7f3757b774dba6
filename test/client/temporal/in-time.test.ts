import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { inTime } from '../../../client/temporal/open-temporal.ts';
import { HAS_PROMISE_HOOKS, runsPromiseHooks } from '../../support/promise-hooks.ts';

let server: Server;
let connection: Connection;
let client: Client;

/** Much longer than the other, for they must not end together on a busy machine. */
const LONG_MS = 1_500;

/** Of gRPC: the deadline was exceeded. */
const LATE = { code: 4 };
const sockets = new Set<Socket>();

beforeEach(async () => {
  // Takes connections, and says nothing.
  server = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  connection = Connection.lazy({ address });
  client = new Client({ connection });
});

afterEach(async () => {
  await connection.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

it("inTime ends each call in its own time, and is in nobody's way between calls", async () => {
  const storage = connection.callContextStorage;
  const ask = (): Promise<unknown> => client.workflowService.getSystemInfo({});
  const begun = performance.now();
  const [short, long] = [inTime(client, 100, ask), inTime(client, LONG_MS, ask)];
  await expect(short).rejects.toMatchObject(LATE);
  expect(runsPromiseHooks(storage)).toBe(HAS_PROMISE_HOOKS);
  await expect(long).rejects.toMatchObject(LATE);
  expect(performance.now() - begun).toBeGreaterThanOrEqual(LONG_MS - 10);
  expect(runsPromiseHooks(storage)).toBe(false);
  expect(await inTime(client, 100, () => Promise.resolve('again'))).toBe('again');
});
