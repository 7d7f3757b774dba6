/** Redaction of failure messages: removes secrets and the user's texts before anything is recorded or shown. */

/** Longest failure message, in characters. */
const MAX_MESSAGE_LENGTH = 500;

/** How much of a text is processed. */
const MAX_INPUT_LENGTH = 4_000;

/** Shortest echo of a private text to remove; shorter ones are ordinary words. */
const MIN_ECHO_LENGTH = 12;

/**
 * Makes a text safe to record and show: without the token, links and the user's own texts, on one line, at most
 * `maxLength` characters (default 500).
 *
 * @param privateTexts texts of the user that the service may echo, such as the text to speak.
 */
export type Redact = (
  text: string,
  options?: { readonly privateTexts?: readonly string[]; readonly maxLength?: number },
) => string;

/** Creates the redactor for a token. It finds the token plain, URL-encoded and in base64, in any letter case. */
export function createRedact(token: string): Redact {
  const forms = new Set([
    token,
    encodeURIComponent(token),
    JSON.stringify(token).slice(1, -1),
    // Without padding, which depends on the neighbouring bytes.
    Buffer.from(token).toString('base64').replaceAll('=', ''),
    Buffer.from(token).toString('base64url'),
    Buffer.from(`Bearer ${token}`).toString('base64').replaceAll('=', ''),
  ]);
  const patterns = [...forms]
    .sort((a, b) => b.length - a.length)
    .map((form) => new RegExp(`${form.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')}={0,2}`, 'gi'));
  const hideToken = (text: string): string => patterns.reduce((left, pattern) => left.replace(pattern, '***'), text);

  const minTokenLength = Math.min(...[...forms].map(({ length }) => length));

  return (text, options = {}) => {
    // A text shorter than the token, like most ids and states, cannot contain it.
    const maxLength = options.maxLength ?? MAX_MESSAGE_LENGTH;
    if (
      text.length < minTokenLength &&
      text.length <= maxLength &&
      options.privateTexts === undefined &&
      /^[\w-]*$/.test(text)
    ) {
      return text;
    }
    let clean = hideToken(text.replaceAll('\\/', '/'));
    // After the token is removed, so that no half of it is left; before the patterns, which are slow on long texts.
    clean = clean.slice(0, MAX_INPUT_LENGTH);
    for (const secret of options.privateTexts ?? []) {
      // The rules below would not recognise half a link, and the other half may hold its signature.
      clean = /^https?:/i.test(secret) ? clean.replaceAll(secret, '…') : hideEcho(clean, secret);
    }
    clean = clean
      .replace(/\b(bearer|basic)\s+[^\s"',;]{4,}/gi, '$1 ***')
      .replace(/\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/?#"'<>]*@)?([^\s/"'<>?#]*)[^\s"'<>]*/gi, '$1$2/…')
      // Control characters and line breaks would disturb terminals and line-based files.
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
      // Half a surrogate pair is not valid UTF-8: the service may have sent it, or a cut above left it.
      .replace(/\p{Cs}/gu, '\ufffd')
      .trim();
    // Removing something may have joined the halves of a token that was split on purpose.
    return cut(hideToken(clean), maxLength);
  };
}

/** Removes every stretch of `text` that begins like the private text, as far as both agree. */
function hideEcho(text: string, secret: string): string {
  const head = secret.slice(0, 20);
  if (head.length < MIN_ECHO_LENGTH) return text;
  let clean = '';
  let rest = text;
  for (let at = rest.indexOf(head); at !== -1; at = rest.indexOf(head)) {
    let length = head.length;
    while (length < secret.length && rest[at + length] === secret[length]) length += 1;
    clean += `${rest.slice(0, at)}…`;
    rest = rest.slice(at + length);
  }
  return clean + rest;
}

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Do not cut a surrogate pair: half of it is not valid UTF-8.
  return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}
