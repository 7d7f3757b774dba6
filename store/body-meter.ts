import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { TextDecoder } from 'node:util';
import { HEAD_BYTES, sniff } from './sniff.ts';
import { UnfitBody, type Expectation } from './store.ts';

/** Passes a body on unchanged while it counts, hashes and looks at it. Fails as soon as the body cannot become fit any more. */
export class BodyMeter extends Transform {
  bytes = 0;
  readonly #expectation: Expectation;
  readonly #hash = createHash('sha256');
  /** Checks text for UTF-8 as it passes; a character may lie across two chunks. */
  readonly #decoder: TextDecoder | undefined;
  #head = Buffer.alloc(0);

  constructor(expectation: Expectation) {
    super();
    this.#expectation = expectation;
    this.#decoder = expectation.family === 'text' ? new TextDecoder('utf-8', { fatal: true }) : undefined;
  }

  /** What passed. To be asked once, after the end. Throws {@link UnfitBody}. */
  finish(): { bytes: number; sha256: string; extension: string } {
    return { bytes: this.bytes, sha256: this.#hash.digest('hex'), extension: sniff(this.#head, this.#expectation) };
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const { contentLength } = this.#expectation;
    const hadHead = this.#head.length >= HEAD_BYTES;
    this.bytes += chunk.length;
    this.#hash.update(chunk);
    if (!hadHead) this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD_BYTES - this.#head.length)]);
    try {
      if (contentLength !== undefined && this.bytes > contentLength) {
        throw new UnfitBody(`Expected ${contentLength} bytes, as declared, but more came.`);
      }
      this.#decode(chunk, true);
      // No need to load a page of HTML to its end.
      if (!hadHead && this.#head.length >= HEAD_BYTES) sniff(this.#head, this.#expectation);
      done(null, chunk);
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    const { contentLength } = this.#expectation;
    try {
      if (contentLength !== undefined && this.bytes !== contentLength) {
        throw new UnfitBody(`Expected ${contentLength} bytes, as declared, but ${this.bytes} came.`);
      }
      this.#decode(Buffer.alloc(0), false);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  #decode(chunk: Buffer, stream: boolean): void {
    try {
      this.#decoder?.decode(chunk, { stream });
    } catch {
      throw new UnfitBody('Expected text, but the body is not UTF-8.');
    }
  }
}
