import { defined } from '../contract/defined.ts';
import type { AnswerHead } from './http.ts';
import { parseJson } from './read-members.ts';
import type { MediaBody } from './speech-api.ts';

/** An answer whose body was read as text. */
export interface Answer {
  readonly type: 'answer';
  readonly status: number;
  header(name: string): string | undefined;
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
    text,
    json: cut === undefined ? parseJson(text) : undefined,
    ...defined({ cut }),
  };
}

/**
 * Checks the first bytes of a body. Returns it if it is media, a small one in full if it arrives in full. Returns
 * undefined for text, an empty body, and one cut off before its first byte; such a body can still be read as an answer.
 *
 * @param isMade true for media of unknown length that are generated while they are sent. They may take long, so the
 * stream is passed on at once.
 */
export async function openMedia({ body, info }: AnswerHead, isMade: boolean): Promise<MediaBody | undefined> {
  const { contentLength = isMade ? Infinity : 0, contentType } = info;
  const start = await body.start(contentLength > SMALL_BYTES ? 1 : SMALL_BYTES + 1);
  if (start === undefined || isTextBody(contentType, start)) return undefined;
  return body.isWhole ? body.collect(SMALL_BYTES) : body.stream();
}

/** How many of the first bytes are checked. */
const SAMPLE_BYTES = 64;

/**
 * Whether a body is a text (JSON, HTML, words) rather than media. The declared type decides together with the first
 * bytes, because it is sometimes wrong: errors have come labelled as audio, and audio under other labels.
 *
 * A body without control characters at its start is a text if it is declared as one, or if it begins like JSON or HTML.
 */
function isTextBody(contentType: string, start: Buffer): boolean {
  const sample = start.subarray(0, SAMPLE_BYTES);
  if (sample.length === 0 || !isPrintable(sample)) return sample.length === 0;
  return isTextType(contentType) || /^[\uFEFF\s]*[[{<]/.test(sample.toString('utf8'));
}

/** Content types of JSON, HTML, XML and plain texts. */
function isTextType(contentType: string): boolean {
  return /^text\/|[/+](json|xml)$|^application\/(problem|x-ndjson|javascript)/.test(contentType);
}

function isPrintable(sample: Buffer): boolean {
  for (const byte of sample) {
    if ((byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) || byte === 0x7f) return false;
  }
  // A character cut at the end of the sample is no fault, so the last bytes may be undecodable.
  return !sample.toString('utf8').slice(0, -3).includes('\uFFFD');
}
