import { defined } from '../contract/defined.ts';
import type { AnswerHead } from './http.ts';
import { isTextBody } from './body-kind.ts';
import { parseJson } from './read-members.ts';
import type { MediaBody } from './speech-api.ts';

/** An answer with its body read as text. */
export interface Answer {
  readonly type: 'answer';
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

/** Largest media, in bytes, that are received whole before they are handed on. */
const SMALL_BYTES = 1024 ** 2;

/** Reads the body as text, as far as it comes, at most about `maxBytes` of it. Never throws. */
export async function readAnswer(head: AnswerHead, maxBytes: number): Promise<Answer> {
  const bytes = await head.body.collect(maxBytes);
  // A body that may be media has a higher limit of its own.
  const cut = bytes.length > maxBytes ? `it is a text of more than ${maxBytes} bytes` : head.body.cut?.message;
  const text = bytes.toString('utf8');
  return {
    type: 'answer',
    status: head.status,
    header: (name) => head.header(name),
    contentType: head.info.contentType,
    text,
    json: cut === undefined ? parseJson(text) : undefined,
    ...defined({ cut }),
  };
}

/**
 * Looks at the first bytes of a body. The media, if it is: a small one whole, if it comes whole. Undefined for a text, an empty body,
 * and one that breaks off before its first byte; such a body is left to be read as an answer.
 *
 * @param isMade true for media that are made while they are sent, if their length is not known: they may take long, and a stream is
 * handed on at once.
 */
export async function openMedia({ body, info }: AnswerHead, isMade: boolean): Promise<MediaBody | undefined> {
  const { contentLength = isMade ? Infinity : 0, contentType } = info;
  const start = await body.start(contentLength > SMALL_BYTES ? 1 : SMALL_BYTES + 1);
  if (start === undefined || isTextBody(contentType, start)) return undefined;
  return body.isWhole ? body.collect(SMALL_BYTES) : body.stream();
}
