/** What a Matroska file begins with: how it is coded, and one track of sound. Its content is said to be 4,646 bytes long. */
const HEAD =
  'GkXfoxAAACNChoEBQveBAULygQRC84EIQoKIbWF0cm9za2FCh4EEQoWBAhhTgGcEAAAAEiYRTZt0EAAAP027EAAAD1OrhBVJqWZTrIUAAAAAR027EAAAD1' +
  'OrhBZUrmtTrIUAAAAAi027EAAAD1OrhBxTu2tTrIUAAAASCxVJqWYQAAA8Ktexgw9CQE2Akk1lZGlhYnVubnkgdjEuNjEuMFdBkk1lZGlhYnVubnkgdjEu' +
  'NjEuMESJiECPgAAAAAAAFlSuaxAAADKuEAAALdeBAXPFgQGDgQKcgQAitZyDdW5kholBX01QRUcvTDPhEAAACbWERzuAAJ+BAQ==';
const BYTES = 4_699;

/** A Matroska file of zeros where its sound should be. A widespread library looks for the sound in it for ever. */
export function endlessMatroska(): Buffer {
  const head = Buffer.from(HEAD, 'base64');
  return Buffer.concat([head, Buffer.alloc(BYTES - head.length)]);
}
