/** One part of a `multipart/form-data` body (RFC 7578). */
export interface FormPart {
  readonly name: string;
  /** Present on files only. */
  readonly fileName?: string;
  readonly data: Buffer;
}

/**
 * Parses a `multipart/form-data` body in memory. Returns null if it is malformed.
 *
 * Hand-written, because no dependency parses multipart and there is only one small form.
 */
export function readMultipart(contentType: string, body: Buffer): FormPart[] | null {
  const match = /^multipart\/form-data\s*;.*?boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) return null;
  // With a line break in front, the first boundary looks like every other.
  const bytes = Buffer.concat([Buffer.from('\r\n'), body]);
  const mark = Buffer.from(`\r\n--${boundary}`);
  const parts: FormPart[] = [];
  let start = bytes.indexOf(mark);
  while (start >= 0) {
    const begin = start + mark.length;
    if (bytes.subarray(begin, begin + 2).toString('latin1') === '--') return parts;
    start = bytes.indexOf(mark, begin);
    const part = start < 0 ? null : readPart(bytes.subarray(begin, start));
    if (part === null) return null;
    parts.push(part);
  }
  return null;
}

function readPart(bytes: Buffer): FormPart | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const disposition = /^content-disposition:(.*)$/im.exec(bytes.subarray(0, end).toString('utf8'))?.[1] ?? '';
  const name = /[;\s]name="([^"]*)"/i.exec(disposition)?.[1];
  const fileName = /[;\s]filename="([^"]*)"/i.exec(disposition)?.[1];
  if (name === undefined) return null;
  return { name, data: bytes.subarray(end + 4), ...(fileName === undefined ? {} : { fileName }) };
}
