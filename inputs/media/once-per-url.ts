import pLimit from 'p-limit';

/** After this many unanswered requests in a row, an origin is given up. */
const PATIENCE = 5;

/** Answers beyond this many are forgotten, the oldest first. */
const MOST_KNOWN = 10_000;

/** Options of {@link oncePerUrl}. */
export interface OncePerUrlOptions {
  /** Max URLs read concurrently. Default 8. */
  readonly atOnce?: number;
  /** How long answers are cached and an origin's silence is remembered, in ms. Default: for the life of the process. */
  readonly holdsMs?: number;
}

/**
 * Asks about each URL once per asker, however many rows name it, with limited concurrency. An origin that is down must
 * not cost every row a full timeout, so after five failures in a row the answer is `givenUp`.
 *
 * @param read never throws; `isSilent`: there was no answer at all, or none in time
 */
export function oncePerUrl<Answer>(
  read: (url: string) => Promise<{ readonly answer: Answer; readonly isSilent: boolean }>,
  givenUp: (failures: number) => Answer,
  { atOnce = 8, holdsMs = Infinity }: OncePerUrlOptions = {},
): (url: string, asker?: string) => Promise<Answer> {
  const limit = pLimit(atOnce);
  const known = new Map<string, { readonly at: number; readonly answer: Promise<Answer> }>();
  const silent = new Map<string, { readonly at: number; readonly times: number }>();
  const failuresOf = (origin: string): number => {
    const found = silent.get(origin);
    return found === undefined || performance.now() - found.at > holdsMs ? 0 : found.times;
  };
  const ask = async (url: string): Promise<Answer> => {
    const { origin } = new URL(url);
    if (failuresOf(origin) >= PATIENCE) return givenUp(PATIENCE);
    const { answer, isSilent } = await read(url);
    if (isSilent) silent.set(origin, { at: performance.now(), times: failuresOf(origin) + 1 });
    else silent.delete(origin);
    return answer;
  };
  return (url, asker = '') => {
    const name = `${asker} ${url}`;
    const before = known.get(name);
    if (before !== undefined && performance.now() - before.at < holdsMs) return before.answer;
    const answer = limit(() => ask(url));
    // Re-inserted at the end, so that the first is always the oldest.
    known.delete(name);
    known.set(name, { at: performance.now(), answer });
    if (known.size > MOST_KNOWN) known.delete(known.keys().next().value ?? name);
    return answer;
  };
}
