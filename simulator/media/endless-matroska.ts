/** Start of a Matroska file: the EBML header and one audio track. The declared content length is 4,646 bytes. */
const HEAD =
  'GkXfoxAAACNChoEBQveBAULygQRC84EIQoKIbWF0cm9za2FCh4EEQoWBAhhTgGcEAAAAEiYRTZt0EAAAP027EAAAD1OrhBVJqWZTrIUAAAAAR027EAAAD1' +
  'OrhBZUrmtTrIUAAAAAi027EAAAD1OrhBxTu2tTrIUAAAASCxVJqWYQAAA8Ktexgw9CQE2Akk1lZGlhYnVubnkgdjEuNjEuMFdBkk1lZGlhYnVubnkgdjEu' +
  'NjEuMESJiECPgAAAAAAAFlSuaxAAADKuEAAALdeBAXPFgQGDgQKcgQAitZyDdW5kholBX01QRUcvTDPhEAAACbWERzuAAJ+BAQ==';
const BYTES = 4_699;

/** A Matroska file with zeros instead of audio. A widespread library searches it for audio forever. */
export function endlessMatroska(): Buffer {
  const head = Buffer.from(HEAD, 'base64');
  return Buffer.concat([head, Buffer.alloc(BYTES - head.length)]);
}
