import { defined } from '../contract/defined.ts';
import type { AnswerHead } from './http.ts';
import { isTextBody } from './body-kind.ts';
import { parseJson } from './read-members.ts';
import type { MediaBody } from './speech-api.ts';

/** An answer whose body was read as text. */
export interface Answer {
  readonly type: 'answer';
  readonly status: number;
  header(name: string): string | undefined;
  readonly contentType: string;
  /** The body as far as it arrived. */
  readonly text: string;
  /** The body as JSON; undefined if it is not complete JSON. */
  readonly json: unknown;
  /** Why the body is incomplete; undefined if it is complete. */
  readonly cut?: string;
}

/** Media up to this many bytes are received in full before they are passed on. */
const SMALL_BYTES = 1024 ** 2;

/** Reads the body as text, as far as it arrives and up to about `maxBytes`. Never throws. */
export async function readAnswer(head: AnswerHead, maxBytes: number): Promise<Answer> {
  const bytes = await head.body.collect(maxBytes);
  // A body that may be media has its own, higher limit.
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
 * Checks the first bytes of a body. Returns it if it is media, a small one in full if it arrives in full. Returns undefined
 * for text, an empty body, and one cut off before its first byte; such a body can still be read as an answer.
 *
 * @param isMade true for media of unknown length that are generated while they are sent. They may take long, so the stream
 * is passed on at once.
 */
export async function openMedia({ body, info }: AnswerHead, isMade: boolean): Promise<MediaBody | undefined> {
  const { contentLength = isMade ? Infinity : 0, contentType } = info;
  const start = await body.start(contentLength > SMALL_BYTES ? 1 : SMALL_BYTES + 1);
  if (start === undefined || isTextBody(contentType, start)) return undefined;
  return body.isWhole ? body.collect(SMALL_BYTES) : body.stream();
}
