import { hash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { openBucketBytes, type BucketBytes } from '../../../store/s3/s3-bytes.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { listen } from '../../support/api-server.ts';

const HASH = 'x-amz-meta-sha256';

export const SOUND = Buffer.from('sound');
export const FILE = {
  key: 'b/1.mp3',
  bytes: SOUND.length,
  sha256: hash('sha256', SOUND, 'hex'),
  extension: 'mp3',
} as const;

/** Stores it. */
export const putSound = (bytes: BucketBytes): Promise<unknown> => bytes.put(FILE.key, { from: SOUND, ...FILE });

export const isCopy = ({ headers }: IncomingMessage): boolean => 'x-amz-copy-source' in headers;

/**
 * What a request is refused with. With a status of 200, the server has begun its answer before it failed. A text is the page of a
 * proxy, which answers in its place with 200.
 */
export type Refusal = readonly [status: number, code: string] | string;

/** How a server is odd. */
interface Oddity {
  readonly prefix?: string;
  /** Further headers of all objects. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A place on a server that keeps objects, and refuses what a test wants. */
export async function openOn(
  refusal: (request: IncomingMessage) => Refusal | undefined,
  { prefix = '', headers = {} }: Oddity = {},
): Promise<BucketBytes> {
  const objects = new Map<string, { readonly body: Buffer; readonly headers: Readonly<Record<string, string>> }>();
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const refused = refusal(request);
      const key = request.url?.split('?')[0] ?? '';
      if (typeof refused === 'string') {
        response.writeHead(200, { 'content-type': 'text/html' }).end(refused);
        return;
      }
      if (request.method === 'PUT' && refused === undefined) {
        const source = objects.get(String(request.headers['x-amz-copy-source']));
        objects.set(key, source ?? { body, headers: { [HASH]: String(request.headers[HASH]) } });
      }
      const kept = objects.get(key);
      const root = refused === undefined ? rootOf(request) : undefined;
      if (root !== undefined) {
        response.writeHead(200).end(`<${root}><UploadId>1</UploadId></${root}>`);
        return;
      }
      if (refused !== undefined || kept === undefined) {
        const [status, code] = refused ?? [404, 'NoSuchKey'];
        response.writeHead(status).end(`<Error><Code>${code}</Code><Message>no</Message></Error>`);
        return;
      }
      const length = String(kept.body.length);
      response.writeHead(200, { etag: '"e"', 'content-length': length, ...kept.headers, ...headers });
      response.end(request.method === 'HEAD' ? '' : kept.body);
    });
  });
  const { origin } = await listen(server, []);
  const bytes = await openBucketBytes(
    { bucket: 'media', prefix, address: `s3://media/${prefix}`.replace(/\/$/, '') },
    {
      AWS_ENDPOINT_URL_S3: origin,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
    },
  );
  endAfterTest(() => bytes.close());
  return bytes;
}

/** The root of the answer, where it is in XML. */
function rootOf({ method, url = '', headers }: IncomingMessage): string | undefined {
  if ('x-amz-copy-source' in headers) return 'CopyObjectResult';
  // Nobody looks at what it lists.
  if (url.includes('list-type=2')) return 'ListBucketResult';
  if (method !== 'POST') return undefined;
  return url.includes('uploadId=') ? 'CompleteMultipartUploadResult' : 'InitiateMultipartUploadResult';
}
