import { createHash, hash, subtle } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Content } from '../bytes.ts';
import { lostByDisk, StoreUnwritable } from '../errors.ts';
import type { BucketClient } from './client.ts';
import { BucketUnusable } from './errors.ts';
import { objectHeaders, putRequest } from './object-headers.ts';
import { headObject } from './objects.ts';
import { textOf, textsOf } from './xml.ts';

/** Size of a part, and of the largest file that is uploaded in one request, bytes. */
const PART_BYTES = 16 * 1024 ** 2;

/** Max parts of an upload to S3. */
const MAX_PARTS = 10_000;

/** Parts of a file in memory at once. */
const PARTS_AT_ONCE = 3;

/** Files uploaded at once: each needs memory. */
const FILES_AT_ONCE = 2;

/** How often a multipart upload is started: a rule of the bucket, or another program, may abort it meanwhile. */
const MAX_STARTS = 3;

/** An unfinished upload of this age counts as abandoned, ms: 4 GB take 10 hours at 1 Mbit/s. */
const ABANDONED_MS = 86_400_000;

/** Uploads content to a bucket, completely or not at all. Memory use does not depend on the size. */
export class Uploads {
  readonly #client: BucketClient;
  readonly #limit: LimitFunction = pLimit(FILES_AT_ONCE);

  constructor(client: BucketClient) {
    this.#client = client;
  }

  /**
   * Uploads content under a key. Throws {@link StoreUnwritable}, with code `LOST` if a local file does not have the
   * content's hash any more.
   */
  async put(key: string, content: Content): Promise<void> {
    const { from } = content;
    if (typeof from !== 'string') return this.#putBody(key, from, content.sha256);
    await this.#limit(() => this.#putFile(key, from, content));
  }

  /** Aborts multipart uploads with this prefix that were started longer than `ageMs` ago: nobody continues them. */
  async sweep(prefix: string, ageMs = ABANDONED_MS): Promise<void> {
    const { text } = await this.#client.ask({
      method: 'GET',
      query: { uploads: '', prefix },
      root: 'ListMultipartUploadsResult',
    });
    // The local clock may be wrong by days; an earlier answer has corrected it.
    const now = Date.now() + this.#client.signer.skewMs;
    for (const upload of textsOf(text, 'Upload')) {
      const [key, id, begun = ''] = ['Key', 'UploadId', 'Initiated'].map((name) => textOf(upload, name));
      if (key === undefined || id === undefined || !(now - Date.parse(begun) > ageMs)) continue;
      await this.#abort(key, id);
    }
  }

  /** Uploads a local file. */
  async #putFile(key: string, from: string, content: Content): Promise<void> {
    const { bytes, sha256 } = content;
    const file = await open(from, 'r').catch((error: unknown) => {
      throw new StoreUnwritable(from, error);
    });
    try {
      if (bytes > PART_BYTES) {
        await this.#putLarge(key, file, content);
        return;
      }
      const body = await readAt(file, 0, bytes);
      if (hash('sha256', body, 'hex') !== sha256) throw lostByDisk(from);
      await this.#putBody(key, body, sha256);
    } finally {
      await file.close();
    }
  }

  /** Uploads a body in one request. */
  async #putBody(key: string, body: Uint8Array, sha256: string): Promise<void> {
    await this.#client.ask(putRequest(key, body, sha256));
  }

  /** Uploads a file in parts, again if the upload is aborted meanwhile. */
  async #putLarge(key: string, file: FileHandle, content: Content): Promise<void> {
    for (let starts = 1; ; starts++) {
      try {
        await this.#putParts(key, file, content);
        return;
      } catch (error) {
        const isAborted = error instanceof BucketUnusable && error.code === 'NoSuchUpload';
        if (!isAborted || starts === MAX_STARTS) throw error;
      }
    }
  }

  /** Uploads a file in parts, once. */
  async #putParts(key: string, file: FileHandle, content: Content): Promise<void> {
    const headers = objectHeaders(key, content.sha256);
    const begun = await this.#client.ask({
      method: 'POST',
      key,
      query: { uploads: '' },
      headers,
      root: 'InitiateMultipartUploadResult',
    });
    const uploadId = textOf(begun.text, 'UploadId') ?? '';
    try {
      const tags = await this.#sendParts(key, uploadId, file, content);
      await this.#complete(key, uploadId, tags, content);
    } catch (error) {
      // An upload that cannot be aborted now is swept later.
      await this.#abort(key, uploadId).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Sends all parts. Returns their ETags. Hashes the file on the way, because its disk may have lost some of it since
   * it was written.
   */
  async #sendParts(key: string, uploadId: string, file: FileHandle, content: Content): Promise<readonly string[]> {
    const { bytes, from, sha256 } = content;
    const size = Math.max(PART_BYTES, Math.ceil(bytes / MAX_PARTS));
    const whole = createHash('sha256');
    const sending: Promise<string>[] = [];
    const failed = new AbortController();
    try {
      for (let at = 0; at < bytes && !failed.signal.aborted; at += size) {
        const body = await readAt(file, at, Math.min(size, bytes - at));
        whole.update(body);
        const sent = this.#sendPart(key, uploadId, sending.length + 1, body);
        sent.catch(() => {
          failed.abort();
        });
        sending.push(sent);
        // Bounds the parts in memory.
        await sending[sending.length - PARTS_AT_ONCE];
      }
    } finally {
      await Promise.allSettled(sending);
    }
    if (!failed.signal.aborted && whole.digest('hex') !== sha256) throw lostByDisk(String(from));
    return Promise.all(sending);
  }

  /** Sends a part. Returns its ETag. */
  async #sendPart(key: string, uploadId: string, number: number, body: Uint8Array): Promise<string> {
    // Takes some 10 ms, so it is done by a thread of libuv.
    const sha256 = Buffer.from(await subtle.digest('SHA-256', body)).toString('hex');
    const query = { partNumber: String(number), uploadId };
    const { headers } = await this.#client.ask({ method: 'PUT', key, query, body, sha256 });
    return headers.etag ?? '';
  }

  /** Completes an upload: the object appears. */
  async #complete(key: string, uploadId: string, tags: readonly string[], content: Content): Promise<void> {
    const parts = tags.map((tag, at) => `<Part><PartNumber>${String(at + 1)}</PartNumber><ETag>${tag}</ETag></Part>`);
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    const query = { uploadId };
    const accepts = [404, 'NoSuchUpload'];
    const root = 'CompleteMultipartUploadResult';
    const { code } = await this.#client.ask({ method: 'POST', key, query, body, accepts, root, isSlow: true });
    if (code === undefined) return;
    // The upload may be complete already, if the answer to an earlier try was lost.
    const there = await headObject(this.#client, key);
    if (there?.sha256 === content.sha256 && there.bytes === content.bytes) return;
    throw this.#client.unusable({ code, message: 'the upload in parts was not completed' });
  }

  /** Aborts a multipart upload. One that is gone counts as aborted. */
  async #abort(key: string, uploadId: string): Promise<void> {
    await this.#client.ask({ method: 'DELETE', key, query: { uploadId }, accepts: [404] });
  }
}

/** Reads bytes from a position; fewer at the end of the file. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  for (let at = 0; at < length;) {
    const { bytesRead } = await file.read(buffer, at, length - at, position + at);
    if (bytesRead === 0) return buffer.subarray(0, at);
    at += bytesRead;
  }
  return buffer;
}
