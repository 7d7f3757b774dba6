import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type { Bytes } from '../bytes.ts';
import { StoredFileRefused } from '../errors.ts';
import type { KeptFile, Reused } from '../store.ts';
import { UNKNOWN_TO_SERVER } from './answers.ts';
import { ServerFails, type BucketClient } from './client.ts';
import { objectHeaders } from './object-headers.ts';
import { headObject, type ObjectFacts } from './objects.ts';
import { REFUSAL_CODES } from './refused-object.ts';

/** The largest object that S3 copies in one request, bytes. */
const MAX_COPIED = 5 * 1024 ** 3;

/** How often a copy is tried on the server: some servers fail with every copy, and with nothing else. */
const TRIES = 4;

/** The same after the last copy failed: each copy tries once more, because the server may work again. */
const TRIES_AFTER_FAILURE = 1;

/** Codes of servers that do not support copies, or do not allow them for these credentials. */
const NO_COPY = ['AccessDenied', 'MethodNotAllowed', 'NotImplemented'];

/** The operations of which a copy through this machine consists. */
type Parts = Pick<Bytes, 'read' | 'lease' | 'put'>;

/** Copies objects within the bucket: on the server, or through this machine if the server cannot. */
export class Copies {
  readonly #client: BucketClient;
  readonly #parts: Parts;
  readonly #full: (key: string) => string;
  #problem: string | undefined;

  /**
   * @param parts operations on keys without the bucket's prefix
   * @param full returns a key with the prefix
   */
  constructor(client: BucketClient, parts: Parts, full: (key: string) => string) {
    this.#client = client;
    this.#parts = parts;
    this.#full = full;
  }

  /** Why the server could not make the last copy; undefined if it did. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** See `Bytes.copy`. */
  async copy(file: KeptFile, key: string): Promise<Reused['type']> {
    const source = await headObject(this.#client, this.#full(file.key));
    if (source === undefined) return 'missing';
    if (source.bytes !== file.bytes) return 'altered';
    try {
      if (!(await this.#hasRecordedContent(source, file))) return 'altered';
      const copied = source.bytes <= MAX_COPIED && (await this.#copyOnServer(source, file, key));
      return copied === false ? await this.#copyThroughHere(file, key) : copied;
    } catch (error) {
      if (error instanceof StoredFileRefused) return 'missing';
      throw error;
    }
  }

  /** Whether an object has the recorded content, by the hash in its metadata, or else by reading it. */
  async #hasRecordedContent(source: ObjectFacts, file: KeptFile): Promise<boolean> {
    if (source.sha256 !== undefined) return source.sha256 === file.sha256;
    const hash = createHash('sha256');
    await pipeline(await this.#parts.read(file.key), hash);
    return hash.digest('hex') === file.sha256;
  }

  /** Lets the server copy an object, if it has not changed since `source` was read. False: the server does not copy. */
  async #copyOnServer(source: ObjectFacts, file: KeptFile, to: string): Promise<Reused['type'] | false> {
    const key = this.#full(to);
    const headers = {
      ...objectHeaders(key, file.sha256),
      'x-amz-metadata-directive': 'REPLACE',
      'x-amz-copy-source': this.#client.copySource(this.#full(file.key)),
      'x-amz-copy-source-if-match': source.etag,
    };
    const accepts = [404, 405, 412, UNKNOWN_TO_SERVER, 'NoSuchKey', 'PreconditionFailed', ...NO_COPY, ...REFUSAL_CODES];
    const tries = this.#problem === undefined ? TRIES : TRIES_AFTER_FAILURE;
    const request = { method: 'PUT', key, headers, accepts, root: 'CopyObjectResult', isSlow: true, tries } as const;
    const answer = await this.#client.ask(request).catch((error: unknown) => {
      if (error instanceof ServerFails) return error;
      throw error;
    });
    this.#problem = undefined;
    if (answer instanceof ServerFails) return this.#noteProblem(answer.message);
    const { status, code } = answer;
    if (code === undefined) return 'reused';
    if (status === 404 || code === 'NoSuchKey') return 'missing';
    // A copy through this machine then shows whether the source is refused, or the target, or only copies.
    return status === 412 || code === 'PreconditionFailed' ? 'altered' : this.#noteProblem(code);
  }

  /** Notes why the server does not copy. */
  #noteProblem(problem: string): false {
    this.#problem = problem;
    return false;
  }

  /** Downloads an object, and uploads it under the other key. */
  async #copyThroughHere(file: KeptFile, key: string): Promise<Reused['type']> {
    const lease = await this.#parts.lease(file.key);
    if (lease === undefined) return 'missing';
    try {
      await this.#parts.put(key, { from: lease.path, bytes: file.bytes, sha256: file.sha256 });
      return 'reused';
    } finally {
      await lease.release();
    }
  }
}
