import pLimit from 'p-limit';

/** After this many unanswered requests in a row, an origin is given up. */
const MAX_FAILURES = 5;

/** Max answers to remember; beyond that, the oldest are forgotten. */
const MAX_KNOWN = 10_000;

/** Options of {@link oncePerUrl}. */
export interface OncePerUrlOptions {
  /** Max URLs that are read at the same time. Default 8. */
  readonly atOnce?: number;
  /** How long answers are cached, and an origin stays given up, in ms. Default: for the life of the process. */
  readonly holdsMs?: number;
}

/**
 * Wraps a function that reads something of a URL, so that each URL is read once, however many rows name it, and few at
 * the same time. An origin that is down must not cost every row a full timeout, so after {@link MAX_FAILURES} failures
 * in a row its further URLs get the answer `givenUp`.
 *
 * @param read must not throw; `isSilent`: the server did not answer, or not in time
 * @returns a function of a URL and, optionally, of a scope: each scope reads a URL anew
 */
export function oncePerUrl<Answer>(
  read: (url: string) => Promise<{ readonly answer: Answer; readonly isSilent: boolean }>,
  givenUp: (failures: number) => Answer,
  { atOnce = 8, holdsMs = Infinity }: OncePerUrlOptions = {},
): (url: string, scope?: string) => Promise<Answer> {
  const limit = pLimit(atOnce);
  const known = new Map<string, { readonly at: number; readonly answer: Promise<Answer> }>();
  const silent = new Map<string, { readonly at: number; readonly times: number }>();
  const failuresOf = (origin: string): number => {
    const found = silent.get(origin);
    return found === undefined || performance.now() - found.at > holdsMs ? 0 : found.times;
  };
  const readUrl = async (url: string): Promise<Answer> => {
    const { origin } = new URL(url);
    if (failuresOf(origin) >= MAX_FAILURES) return givenUp(MAX_FAILURES);
    const { answer, isSilent } = await read(url);
    if (isSilent) silent.set(origin, { at: performance.now(), times: failuresOf(origin) + 1 });
    else silent.delete(origin);
    return answer;
  };
  return (url, scope = '') => {
    const key = `${scope} ${url}`;
    const cached = known.get(key);
    if (cached !== undefined && performance.now() - cached.at < holdsMs) return cached.answer;
    const answer = limit(() => readUrl(url));
    // Re-inserted at the end, so that the first is always the oldest.
    known.delete(key);
    known.set(key, { at: performance.now(), answer });
    if (known.size > MAX_KNOWN) known.delete(known.keys().next().value ?? key);
    return answer;
  };
}
