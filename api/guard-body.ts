import { Readable } from 'node:stream';

/** A body that did not come whole: cut, too large, stalled, out of time or broken. */
export class BodyCut extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BodyCut';
  }
}

/** A body under guard. */
export interface GuardedBody {
  readonly body: Readable;
  /** Why the body did not come whole; undefined as long as nothing is wrong with it. */
  readonly cut: () => BodyCut | undefined;
}

/**
 * Passes a body on with a size limit and a limit for the silence between two pieces. The time that the reader takes
 * (a slow disk) does not count. Every fault of the source comes out as {@link BodyCut}.
 *
 * @param onEnd called once, when the body is over, either way.
 */
export function guardBody(
  source: Readable,
  limits: { readonly maxBytes: number; readonly idleMs: number },
  onEnd: () => void,
): GuardedBody {
  let cut: BodyCut | undefined;
  let bytes = 0;
  // A source may fail while nobody reads it; without a listener that would end the process.
  source.on('error', (error) => {
    if (!body.destroyed) cut ??= asCut(error);
  });
  source.once('close', onEnd);
  const reader = source.iterator() as AsyncIterator<Buffer>;

  async function next(): Promise<Buffer | null> {
    const silence = setTimeout(() => {
      source.destroy(new BodyCut(`no byte of the answer came for ${limits.idleMs / 1000} s`));
    }, limits.idleMs);
    const piece = await reader.next().finally(() => {
      clearTimeout(silence);
    });
    if (piece.done === true) return null;
    bytes += piece.value.length;
    if (bytes > limits.maxBytes) throw new BodyCut(`the answer is larger than ${limits.maxBytes} bytes`);
    return piece.value;
  }

  const body = new Readable({
    read(): void {
      next().then(
        (piece) => this.push(piece),
        (error: unknown) => {
          if (!this.destroyed) cut ??= asCut(error);
          this.destroy(cut);
        },
      );
    },
    destroy(error, callback): void {
      source.destroy();
      callback(error);
    },
  });
  body.on('error', () => undefined);
  return { body, cut: () => cut };
}

function asCut(error: unknown): BodyCut {
  if (error instanceof BodyCut) return error;
  const code = (error as { code?: unknown } | null)?.code;
  return new BodyCut(`the answer broke off${typeof code === 'string' ? ` (${code})` : ''}`);
}
