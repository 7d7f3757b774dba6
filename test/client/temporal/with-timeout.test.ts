import { beforeEach, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { withTimeout } from '../../../client/temporal/open-temporal.ts';
import { HAS_PROMISE_HOOKS, runsPromiseHooks } from '../../support/promise-hooks.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { serveRaw } from '../../support/api-server.ts';

let connection: Connection;
let client: Client;

/** Much longer than the other, for they must not end together on a busy machine. */
const LONG_MS = 1_500;

/** Of gRPC: the deadline was exceeded. */
const LATE = { code: 4 };

beforeEach(async () => {
  // Takes connections, and says nothing.
  const { port } = await serveRaw(() => undefined);
  connection = Connection.lazy({ address: `127.0.0.1:${port}` });
  endAfterTest(() => connection.close());
  client = new Client({ connection });
});

it("withTimeout ends each call in its own time, and is in nobody's way between calls", async () => {
  const storage = connection.callContextStorage;
  const ask = (): Promise<unknown> => client.workflowService.getSystemInfo({});
  const begun = performance.now();
  const [short, long] = [withTimeout(client, 100, ask), withTimeout(client, LONG_MS, ask)];
  await expect(short).rejects.toMatchObject(LATE);
  expect(runsPromiseHooks(storage)).toBe(HAS_PROMISE_HOOKS);
  await expect(long).rejects.toMatchObject(LATE);
  expect(performance.now() - begun).toBeGreaterThanOrEqual(LONG_MS - 10);
  expect(runsPromiseHooks(storage)).toBe(false);
  expect(await withTimeout(client, 100, () => Promise.resolve('again'))).toBe('again');
});
