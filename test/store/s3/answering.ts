import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BucketClient } from '../../../store/s3/client.ts';
import { endAfterTest } from '../../support/end-after-test.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface Asked {
  readonly client: BucketClient;
  readonly requests: IncomingMessage[];
  /** Times that credentials were renewed. */
  renewed: number;
}

/** A client of a server that gives these answers in turn, and the last one again and again. */
export async function answering(...answers: readonly Answer[]): Promise<Asked> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    (answers[requests.length - 1] ?? answers.at(-1))?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${String(port)}/media`);
  const keys = { accessKeyId: 'a', secretAccessKey: 'b' };
  const credentials = (renew = false): Promise<typeof keys> => {
    if (renew) asked.renewed += 1;
    return Promise.resolve(keys);
  };
  const client = new BucketClient(
    { bucket: 'media', prefix: 'x/', address: 's3://media/x' },
    { region: 'us-east-1', url },
    credentials,
  );
  client.outage.limit(2_000);
  const asked: Asked = { client, requests, renewed: 0 };
  endAfterTest(async () => {
    client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return asked;
}
