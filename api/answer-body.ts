import { Readable } from 'node:stream';
import type { Watch } from './time-limits.ts';

/** An incomplete body: cut off, too large, stalled, out of time or broken. */
export class BodyCut extends Error {
  override readonly name = 'BodyCut';
}

/** How much a stream buffers ahead of its reader, in bytes: a few socket reads. */
const STREAM_BYTES = 256 * 1024;

/**
 * The body of an answer, guarded by a size limit and an idle timeout between two chunks. Time that the reader takes (a
 * slow disk) does not count. Read it once: with {@link collect} as a buffer, or with {@link stream}. {@link cut} then
 * tells whether it was complete.
 */
export class AnswerBody {
  readonly #source: Readable;
  readonly #maxBytes: number;
  readonly #watch: Watch;
  readonly #onOver: () => void;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #cut: BodyCut | undefined;
  #isOver = false;
  #isWhole = false;
  #isFlowing = false;
  #stream: Readable | undefined;
  /** Called when a chunk arrives, or the body ends. */
  #notify: () => void = () => undefined;

  /**
   * @param source the raw body, decompressed
   * @param watch the time limits of the exchange
   * @param onOver called once when the body has ended or failed
   */
  constructor(source: Readable, maxBytes: number, watch: Watch, onOver: () => void) {
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#watch = watch;
    this.#onOver = onOver;
    // An error may come before anybody reads; without a listener it would end the process.
    source.on('error', (error) => {
      this.fail(asCut(error));
    });
    source.on('end', () => {
      this.#isWhole = !this.#isOver;
      this.#end();
    });
    source.on('close', () => {
      // Creating an error costs more than everything else here, and most bodies have ended by now.
      if (!this.#isOver) this.fail(new BodyCut('the answer broke off'));
    });
  }

  /** Why the body is incomplete; undefined if nothing is wrong. */
  get cut(): BodyCut | undefined {
    return this.#cut;
  }

  /** Whether the body was received completely. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Reads to the end, at most about `max` bytes, and keeps what arrived. Never rejects. */
  async collect(max: number): Promise<Buffer> {
    await this.#until(() => this.#bytes > max);
    if (!this.#isOver) this.destroy();
    return this.#pieces.length === 1 && this.#pieces[0] !== undefined ? this.#pieces[0] : Buffer.concat(this.#pieces);
  }

  /** Reads at least `min` bytes, or everything. Returns the first chunk, if any, without consuming it. */
  async start(min: number): Promise<Buffer | undefined> {
    await this.#until(() => this.#bytes >= min);
    return this.#pieces[0];
  }

  /** Returns the body as a stream, from its first byte. It fails with a {@link BodyCut} if the body is incomplete. */
  stream(): Readable {
    const stream = new Readable({
      highWaterMark: STREAM_BYTES,
      read: () => {
        this.#flow();
      },
      destroy: (error, callback) => {
        this.destroy();
        callback(error);
      },
    });
    // `cut` has the fault as well, so a reader that missed the event still sees it.
    stream.on('error', () => undefined);
    this.#stream = stream;
    for (const piece of this.#pieces.splice(0)) stream.push(piece);
    if (this.#isOver) this.#finishStream(stream);
    return stream;
  }

  /** Ends the body with a fault, unless it is over. */
  fail(cut: BodyCut): void {
    if (this.#isOver) return;
    this.#cut = cut;
    this.destroy();
  }

  /** Abandons the body, which closes the connection unless all of it was received. */
  destroy(): void {
    if (this.#isOver) return;
    this.#end();
    this.#source.destroy();
  }

  #until(isEnough: () => boolean): Promise<void> | undefined {
    if (this.#isOver || isEnough()) return undefined;
    return new Promise<void>((resolve) => {
      this.#notify = () => {
        if (!this.#isOver && !isEnough()) return;
        this.#notify = () => undefined;
        this.#pause();
        resolve();
      };
      this.#flow();
    });
  }

  #flow(): void {
    if (this.#isOver) return;
    this.#watch.listen();
    if (this.#isFlowing) {
      this.#source.resume();
      return;
    }
    this.#isFlowing = true;
    this.#source.on('data', (piece: Buffer) => {
      this.#take(piece);
    });
  }

  #pause(): void {
    this.#source.pause();
    this.#watch.pause();
  }

  #take(piece: Buffer): void {
    if (this.#isOver) return;
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) {
      this.fail(new BodyCut(`the answer is larger than ${this.#maxBytes} bytes`));
      return;
    }
    this.#watch.received(piece.length);
    this.#watch.listen();
    if (this.#stream === undefined) {
      this.#pieces.push(piece);
    } else if (!this.#stream.push(piece)) {
      this.#pause();
    }
    this.#notify();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onOver();
    if (this.#stream !== undefined) this.#finishStream(this.#stream);
    this.#notify();
  }

  #finishStream(stream: Readable): void {
    if (this.#isWhole) stream.push(null);
    else stream.destroy(this.#cut);
  }
}

function asCut(error: unknown): BodyCut {
  if (error instanceof BodyCut) return error;
  const code = (error as { code?: unknown } | null)?.code;
  return new BodyCut(`the answer broke off${typeof code === 'string' ? ` (${code})` : ''}`);
}
