/** How many of the first bytes are checked. */
const SAMPLE_BYTES = 64;

/**
 * Whether a body is a text (JSON, HTML, words) rather than media. The declared type decides together with the first
 * bytes, because it is sometimes wrong: errors have come labelled as audio, and audio under other labels.
 *
 * A body without control characters at its start is a text if it is declared as one, or if it begins like JSON or HTML.
 */
export function isTextBody(contentType: string, start: Buffer): boolean {
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
