/**
 * The bytes of a file to send, both ends included. `null`: the requested range lies outside the file. Undefined: the
 * complete file, because no usable range was requested.
 */
export type ByteRange = { readonly first: number; readonly last: number } | null | undefined;

/**
 * Parses the header `Range` for a file of this many bytes, at least one. Several ranges, and units other than bytes,
 * are ignored, as a server may do (RFC 9110, 14.2).
 */
export function readRange(header: string | undefined, bytes: number): ByteRange {
  const found = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  const [, from = '', to = ''] = found ?? [];
  if (from === '' && to === '') return undefined;
  const last = bytes - 1;
  if (from === '') {
    const length = Number(to);
    return length === 0 ? null : { first: Math.max(0, bytes - length), last };
  }
  const first = Number(from);
  if (to !== '' && Number(to) < first) return undefined;
  if (first > last) return null;
  return { first, last: to === '' ? last : Math.min(Number(to), last) };
}
