import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type { Bytes } from '../bytes.ts';
import { StoredFileRefused } from '../errors.ts';
import type { KeptFile, Reused } from '../store.ts';
import { UNKNOWN_TO_SERVER } from './answers.ts';
import { ServerFails, type BucketClient } from './client.ts';
import { headObject, objectHeaders, type ObjectFacts } from './objects.ts';
import { REFUSAL_CODES } from './refused-object.ts';

/** The largest object that S3 copies in one request, bytes. */
const MOST_COPIED = 5 * 1024 ** 3;

/** How often the server may fail with a copy: it may do so with copies alone, for ever. */
const TRIES = 4;

/** The same once it has: each copy asks, as somebody may have mended it. */
const TRIES_AFTER_FAILURE = 1;

/** Codes by which servers say that they do not copy, or not for these credentials. */
const NO_COPY = ['AccessDenied', 'MethodNotAllowed', 'NotImplemented'];

/** The operations that a copy through this machine is made of. */
type Parts = Pick<Bytes, 'read' | 'lease' | 'put'>;

/** Copies objects: the server does, or this machine where the server does not. */
export class Copies {
  readonly #client: BucketClient;
  readonly #parts: Parts;
  readonly #full: (key: string) => string;
  #problem: string | undefined;

  /** @param full adds the prefix to a key; `parts` add it themselves */
  constructor(client: BucketClient, parts: Parts, full: (key: string) => string) {
    this.#client = client;
    this.#parts = parts;
    this.#full = full;
  }

  /** Why the server did not make the last copy; undefined if it did. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** See `Bytes.copy`. */
  async copy(file: KeptFile, key: string): Promise<Reused['type']> {
    const source = await headObject(this.#client, this.#full(file.key));
    if (source === undefined) return 'missing';
    if (source.bytes !== file.bytes) return 'altered';
    try {
      if (!(await this.#holds(source, file))) return 'altered';
      const copied = source.bytes <= MOST_COPIED && (await this.#copyThere(source, file, key));
      return copied === false ? await this.#copyHere(file, key) : copied;
    } catch (error) {
      if (error instanceof StoredFileRefused) return 'missing';
      throw error;
    }
  }

  /** Whether an object has the recorded content: by our record of its upload, otherwise by reading it. */
  async #holds(source: ObjectFacts, file: KeptFile): Promise<boolean> {
    if (source.sha256 !== undefined) return source.sha256 === file.sha256;
    const hash = createHash('sha256');
    await pipeline(await this.#parts.read(file.key), hash);
    return hash.digest('hex') === file.sha256;
  }

  /** Lets the server copy an object, if it is still the one that was looked at. False: it does not. */
  async #copyThere(source: ObjectFacts, file: KeptFile, to: string): Promise<Reused['type'] | false> {
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
    if (answer instanceof ServerFails) return this.#refused(answer.message);
    const { status, code } = answer;
    if (code === undefined) return 'reused';
    if (status === 404 || code === 'NoSuchKey') return 'missing';
    // Copying it here tells whether it is the source that is refused, or the place of the copy, or only this kind of
    // request.
    return status === 412 || code === 'PreconditionFailed' ? 'altered' : this.#refused(code);
  }

  #refused(problem: string): false {
    this.#problem = problem;
    return false;
  }

  async #copyHere(file: KeptFile, key: string): Promise<Reused['type']> {
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
