import type { Readable } from 'node:stream';
import type { AnswerHead } from './http.ts';
import { isTextBody } from './body-kind.ts';
import { parseJson } from './read-members.ts';

/** An answer with its body read as text. */
export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  header(name: string): string | undefined;
  readonly contentType: string;
  /** The body as far as it came. */
  readonly text: string;
  /** The body as JSON; undefined where it is not whole JSON. */
  readonly json: unknown;
  /** Why the body did not come whole; undefined for a whole body. */
  readonly cut?: string;
}

/** Reads the body as text, as far as it comes, at most about `maxBytes` of it. Never throws. */
export async function readAnswer(head: AnswerHead, maxBytes: number): Promise<Answer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of head.guarded.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      // Leaving the loop closes the body. A body that may be media has a higher limit of its own.
      if (bytes > maxBytes) break;
    }
  } catch {
    // Told by `cut` below; what came before still counts.
  }
  const cut = bytes > maxBytes ? `it is a text of more than ${maxBytes} bytes` : head.guarded.cut()?.message;
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    kind: 'answer',
    status: head.status,
    header: (name) => head.header(name),
    contentType: head.info.contentType,
    text,
    json: cut === undefined ? parseJson(text) : undefined,
    ...(cut === undefined ? {} : { cut }),
  };
}

/**
 * Looks at the first bytes of a body and leaves it as it was. True for media; false for a text, an empty body, and one
 * that broke off before its first byte.
 */
export async function isMedia(head: AnswerHead): Promise<boolean> {
  const body = head.guarded.body;
  const start = await firstPiece(body);
  return start !== undefined && !isTextBody(head.info.contentType, start);
}

async function firstPiece(body: Readable): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const look = (): void => {
      const piece = body.read() as Buffer | null;
      // `readable` is also emitted at the end, where nothing is left to read.
      if (piece === null && !body.readableEnded && !body.destroyed) return;
      stop();
      if (piece !== null) body.unshift(piece);
      resolve(piece ?? undefined);
    };
    const stop = (): void => {
      body.off('readable', look).off('end', look).off('close', look);
    };
    body.on('readable', look).on('end', look).on('close', look);
  });
}
