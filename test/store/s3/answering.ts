import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { BucketClient } from '../../../store/s3/client.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { listen } from '../../support/api-server.ts';

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
  const { origin } = await listen(server, []);
  const url = new URL(`${origin}/media`);
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
  endAfterTest(() => {
    client.close();
  });
  return asked;
}
