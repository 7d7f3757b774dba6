import { chosenOf, endsOf, openOf, resultsOf, viewMoney, type EndWord } from '../../client/look/counts-view.ts';
import type { Standing as Followed } from '../../client/look/follow.ts';
import type { Step } from '../../contract/row-kinds.ts';
import { oneLine } from './table.ts';
import { clock, form, list, namedRow, number, plural } from './words.ts';

/** A batch at one moment. */
export interface Standing extends Pick<
  Followed,
  'counts' | 'money' | 'untold' | 'reasons' | 'oldest' | 'pace' | 'api'
> {
  readonly batch: Pick<Followed['batch'], 'name' | 'settings'>;
}

/** Row outcomes in the progress line, in its order: shown always, or once there are any. */
const ALWAYS: readonly EndWord[] = ['failed', 'unknown'];
const IF_ANY: readonly EndWord[] = ['unfit', 'skipped', 'overdue', 'cancelled'];

/** A job that has run for less is nothing to look at, ms. */
const LONG_MS = 60_000;

/** A part of what is said about a batch that goes on. */
interface Part {
  readonly words: string;
  /** It has its place beside a bar, too, where there is little room. */
  readonly isBrief: boolean;
}

/** `12/30 done, 6 running, 1 failed, 0 unknown, 340 of 500 credits, 8.2 rows/s, 0:12 left` */
export function progressLine(standing: Standing, now: number): string {
  return [...figuresOf(standing, now).map(({ words }) => words), ...troubleOf(standing, now)].join(', ');
}

/** The figures of a batch, in the order in which they are said. */
export function figuresOf(standing: Standing, now: number): readonly Part[] {
  const { batch, counts, money, untold = [] } = standing;
  const { budget } = batch.settings;
  const ends = new Map(endsOf(counts));
  const charged = `${viewMoney(money, budget).isEstimate ? '~' : ''}${number(money.charged)}`;
  const credits = budget === null ? `${charged} credits` : `${charged} of ${number(budget)} credits`;
  const part = (words: string, isBrief = true): Part => ({ words, isBrief });
  return [
    part(`${String(resultsOf(counts))}/${String(chosenOf(counts))} done`),
    part(`${String(openOf(counts).running)} running`, false),
    ...ALWAYS.map((word) => part(`${String(ends.get(word) ?? 0)} ${word}`, ends.has(word))),
    part(money.uncertain > 0 ? `${credits} (+${number(money.uncertain)} uncertain)` : credits),
    ...IF_ANY.flatMap((word) => (ends.has(word) ? [part(`${String(ends.get(word) ?? 0)} ${word}`)] : [])),
    ...(counts.states.blocked > 0
      ? [part(`${number(counts.states.blocked)} waiting for a voice or their parts`, false)]
      : []),
    ...(untold.length > 0 ? [part(untoldWords(untold), false)] : []),
    ...paceWords(standing, now).map((words) => part(words)),
  ];
}

/**
 * What holds a batch up: the row that has waited the longest, and why most rows fail. Last, because an API's message
 * may be long.
 */
export function troubleOf({ oldest, reasons }: Standing, now: number): readonly string[] {
  const isLong = oldest !== undefined && now - oldest.since >= LONG_MS;
  return [...(isLong ? [oldestWords(oldest, now)] : []), ...reasons.slice(0, 1).map(commonestWords)];
}

/** `8.2 rows/s`, `2:05 left`: as far as they are known; `no answer from the API for 0:42` while it is silent. */
export function paceWords({ pace, api }: Pick<Standing, 'pace' | 'api'>, now: number): readonly string[] {
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

/** `oldest r7 (row 7), speech for 14:02`, and with the batch's settings `, deadline in 1:45:58`. */
export function oldestWords(
  oldest: NonNullable<Standing['oldest']>,
  now: number,
  settings?: { readonly jobDeadlineMs: number },
): string {
  const left = settings === undefined ? undefined : oldest.waitedSince + settings.jobDeadlineMs - now;
  const deadline = left === undefined ? '' : left > 0 ? `, deadline in ${clock(left)}` : ', past its deadline';
  return `oldest ${namedRow(oldest)}, ${oldest.step} for ${clock(now - oldest.since)}${deadline}`;
}

/** `at most 48 paid requests/s, because the API refused more (429) 0:12 ago` */
export function limitedWords(
  { rate, refusedAt }: { readonly rate: number; readonly refusedAt: number },
  now: number,
): string {
  const isSlow = rate < 1;
  const most = isSlow ? `${number(rate * 60)} requests/min` : `${number(Number(rate.toPrecision(3)))} requests/s`;
  return `at most ${most}, because the API refused more (429), last ${clock(Math.max(0, now - refusedAt))} ago`;
}

/** `2 workers have waited for the store for 12:01: PutObject b/1.mp3: InternalError: …` */
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

/** `few at once until it is known what speech costs`: why a batch with a budget starts slowly. */
export function untoldWords(steps: readonly Step[]): string {
  return `few at once until it is known what ${list(steps)} ${form(steps.length, 'costs', 'cost')}`;
}

type Reason = Followed['reasons'][number];

/**
 * `most common failure 403 from cdn.example (400 rows)`: beside the counts, it must not look like one more of them.
 * While no row has ended by it, none may.
 */
function commonestWords({ class: name, cause, open, ended }: Reason): string {
  const rows = plural(open + ended, 'row');
  const words = oneLine(cause === '' ? name : cause);
  return ended === 0 ? `most common trouble ${words} (${rows}, going on)` : `most common failure ${words} (${rows})`;
}

/** `400 failed: 403 from cdn.example`; open rows count with what last went wrong with them. */
export function reasonWords({ class: name, cause, open, ended }: Reason): string {
  return `${number(open + ended)} ${ended === 0 ? 'failing' : 'failed'}: ${oneLine(cause === '' ? name : cause)}`;
}
