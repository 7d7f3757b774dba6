import { chosenOf, endsOf, openOf, resultsOf, viewMoney, type EndWord } from '../../client/status/counts-view.ts';
import type { Standing as Followed } from '../../client/status/follow.ts';
import type { Step } from '../../contract/row-kinds.ts';
import { oneLine } from './table.ts';
import { clock, form, list, namedRow, number, plural } from './words.ts';

/** What is shown of a running batch's progress. */
export interface BatchProgress extends Pick<
  Followed,
  'counts' | 'money' | 'unpricedSteps' | 'reasons' | 'oldest' | 'pace' | 'api'
> {
  readonly batch: Pick<Followed['batch'], 'name' | 'settings'>;
}

/** When the progress line shows an outcome: also with zero rows, once there are such rows, or never. */
const SHOWN = {
  failed: 'always',
  unknown: 'always',
  unfit: 'if-any',
  skipped: 'if-any',
  overdue: 'if-any',
  cancelled: 'if-any',
  // Counted as done, or not among the rows of the run.
  succeeded: 'never',
  cached: 'never',
  'not chosen': 'never',
} as const satisfies Readonly<Record<EndWord, string>>;

const wordsShown = (when: 'always' | 'if-any'): readonly EndWord[] =>
  (Object.keys(SHOWN) as EndWord[]).filter((word) => SHOWN[word] === when);

/** The oldest job is shown once it has run for this long, ms. */
const LONG_JOB_MS = 60_000;

/** A figure of the progress line. */
interface Figure {
  readonly words: string;
  /** Whether it is shown beside a bar, where there is little room. */
  readonly isBrief: boolean;
}

/**
 * Returns `12/30 done, 6 running, 1 failed, 0 unknown, 340 of 500 credits, 8.2 rows/s, 0:12 left`. `now`: ms since
 * 1970.
 */
export function progressLine(progress: BatchProgress, now: number): string {
  return [...figuresOf(progress, now).map(({ words }) => words), ...problemsOf(progress, now)].join(', ');
}

/** Returns the figures of a batch, in the order of the progress line. */
export function figuresOf(progress: BatchProgress, now: number): readonly Figure[] {
  const { batch, counts, money, unpricedSteps = [] } = progress;
  const { budget } = batch.settings;
  const ends = new Map(endsOf(counts));
  const charged = `${viewMoney(money, budget).isEstimate ? '~' : ''}${number(money.charged)}`;
  const credits = budget === null ? `${charged} credits` : `${charged} of ${number(budget)} credits`;
  const figure = (words: string, isBrief = true): Figure => ({ words, isBrief });
  return [
    figure(`${String(resultsOf(counts))}/${String(chosenOf(counts))} done`),
    figure(`${String(openOf(counts).running)} running`, false),
    ...wordsShown('always').map((word) => figure(`${String(ends.get(word) ?? 0)} ${word}`, ends.has(word))),
    figure(money.uncertain > 0 ? `${credits} (+${number(money.uncertain)} uncertain)` : credits),
    ...wordsShown('if-any').flatMap((word) =>
      ends.has(word) ? [figure(`${String(ends.get(word) ?? 0)} ${word}`)] : [],
    ),
    ...(counts.states.blocked > 0
      ? [figure(`${number(counts.states.blocked)} waiting for a voice or their parts`, false)]
      : []),
    ...(unpricedSteps.length > 0 && counts.states.waiting > 0 ? [figure(unknownPriceWords(unpricedSteps), false)] : []),
    ...paceWords(progress, now).map((words) => figure(words)),
  ];
}

/**
 * Returns what holds a batch up: the oldest job, and the most frequent failure. They come last in the line, because an
 * API's message may be long.
 */
export function problemsOf({ oldest, reasons }: BatchProgress, now: number): readonly string[] {
  const isLong = oldest !== undefined && now - oldest.since >= LONG_JOB_MS;
  return [...(isLong ? [oldestWords(oldest, now)] : []), ...reasons.slice(0, 1).map(commonFailureWords)];
}

/** Returns `8.2 rows/s` and `2:05 left` if known; instead `no answer from the API for 0:42` while it is silent. */
export function paceWords({ pace, api }: Pick<BatchProgress, 'pace' | 'api'>, now: number): readonly string[] {
  if (api?.silence != null) {
    const { since, requests } = api.silence;
    const what = requests > 0 ? `${plural(requests, 'request')} without an answer` : 'no answer from the API';
    return [`${what} for ${clock(now - since)}`];
  }
  const { rowsPerSecond, secondsLeft } = pace;
  const isSlow = rowsPerSecond < 1;
  const rate = isSlow ? `${number(rowsPerSecond * 60)} rows/min` : `${number(rowsPerSecond)} rows/s`;
  return [
    ...(rowsPerSecond > 0 ? [rate] : []),
    ...(secondsLeft === null ? [] : [`${clock(secondsLeft * 1_000)} left`]),
  ];
}

/** Returns `oldest r7 (row 7), speech for 14:02`, and with the batch's settings `, deadline in 1:45:58`. */
export function oldestWords(
  oldest: NonNullable<BatchProgress['oldest']>,
  now: number,
  settings?: { readonly jobDeadlineMs: number },
): string {
  const left = settings === undefined ? undefined : oldest.waitedSince + settings.jobDeadlineMs - now;
  const deadline = left === undefined ? '' : deadlineWords(left);
  return `oldest ${namedRow(oldest)}, ${oldest.step} for ${clock(now - oldest.since)}${deadline}`;
}

function deadlineWords(leftMs: number): string {
  return leftMs > 0 ? `, deadline in ${clock(leftMs)}` : ', past its deadline';
}

/**
 * Returns the adaptive limit: `at most 48 paid requests/s, because the API refused more (429) 0:12 ago`. `rate`: per
 * second.
 */
export function limitedWords(
  { rate, refusedAt }: { readonly rate: number; readonly refusedAt: number },
  now: number,
): string {
  const isSlow = rate < 1;
  const max = isSlow ? `${number(rate * 60)} requests/min` : `${number(Number(rate.toPrecision(3)))} requests/s`;
  return `at most ${max}, because the API refused more (429), last ${clock(Math.max(0, now - refusedAt))} ago`;
}

/** Returns `2 workers have waited for the store for 12:01: PutObject b/1.mp3: InternalError: …`. */
export function storeWaitWords(
  {
    workers,
    first,
  }: { readonly workers: number; readonly first: { readonly since: number; readonly problem: string } },
  now: number,
): string {
  const wait = `${plural(workers, 'worker has', 'workers have')} waited for the store`;
  return `${wait} for ${clock(Math.max(0, now - first.since))}: ${first.problem}`;
}

/** Returns why a batch with a budget starts slowly: `few at once until it is known what speech costs`. */
export function unknownPriceWords(steps: readonly Step[]): string {
  return `few at once until it is known what ${list(steps)} ${form(steps.length, 'costs', 'cost')}`;
}

type Reason = Followed['reasons'][number];

/**
 * Returns `most common failure 403 from cdn.example (400 rows)`, worded so that it does not look like one more count;
 * as long as no row has failed, `most common trouble …`.
 */
function commonFailureWords({ class: name, cause, open, ended }: Reason): string {
  const rows = plural(open + ended, 'row');
  const words = oneLine(cause === '' ? name : cause);
  return ended === 0 ? `most common trouble ${words} (${rows}, going on)` : `most common failure ${words} (${rows})`;
}

/** Returns `400 failed: 403 from cdn.example`. Open rows count with their latest failure. */
export function reasonWords({ class: name, cause, open, ended }: Reason): string {
  return `${number(open + ended)} ${ended === 0 ? 'failing' : 'failed'}: ${oneLine(cause === '' ? name : cause)}`;
}
