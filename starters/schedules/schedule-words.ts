import { join } from 'node:path';
import {
  type PreviewView,
  type ScheduleCheck,
  type ScheduleLine,
  type ScheduleMonth,
  type ShownSchedule,
  timeInZone,
} from '../../client/schedules/schedule-view.ts';
import type { OccurrenceView } from '../../client/schedules/occurrence-view.ts';
import type { Backfilled } from '../../client/schedules/control-schedule.ts';
import { lacksWorker, type Surroundings } from '../../client/schedules/open-schedules.ts';
import { formatDuration } from '../../contract/times.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { tuningOf, DEFAULT_TUNABLES, valuesOf, type TunableValues } from '../../contract/tunables.ts';
import { oneLine } from '../terminal/table.ts';
import { describeTuning } from '../terminal/tunable-words.ts';
import { number, plural } from '../terminal/words.ts';
import { isDeepStrictEqual } from 'node:util';
import { remakeWords } from './lost-schedule-words.ts';
import { formatDialectChoice } from '../../contract/dialects.ts';
import { finishingFlags } from '../../contract/finishing.ts';
import { subsetFlags } from '../../contract/subset.ts';

/** Next firings that are shown; `schedule preview` shows more. */
const MAX_NEXT = 3;

type StateFacts = Pick<ScheduleLine, 'paused' | 'note'> & Partial<Pick<ScheduleLine, 'lost'>>;

/** Returns the state of a schedule, such as `paused (new voices)`. */
export function stateWords({ paused, note, lost = false }: StateFacts): string {
  if (lost) return 'lost';
  return `${paused ? 'paused' : 'active'}${note === '' ? '' : ` (${oneLine(note)})`}`;
}

/** Unknown schedules that are listed. */
const MAX_UNKNOWN = 5;

/** Returns the message that Temporal has schedules which the ledger does not have. */
export function unknownWords(names: readonly string[]): string {
  const shown = names.slice(0, MAX_UNKNOWN).map((name) => `"${oneLine(name)}"`);
  const more = names.length > shown.length ? ` and ${number(names.length - shown.length)} more` : '';
  return (
    `Temporal has ${shown.join(', ')}${more}, which the ledger does not know: what they fire is refused. ` +
    replaceAdvice(names[0] ?? 'NAME')
  );
}

/** Returns what to do about a schedule that only Temporal has, as after a restore of the ledger. */
export function replaceAdvice(schedule: string): string {
  const name = shellWord(oneLine(schedule));
  return `To delete one: voxbatch schedule delete ${name}. If it is still needed, make it again after that: voxbatch schedule create ${name} MANIFEST`;
}

/** Returns the message that no worker serves these schedules, and the command that starts one. */
export function noWorkerWords(schedules: readonly string[], { isCluster, isDeserted, hasUp }: Surroundings): string {
  const names = schedules.map((name) => `"${name}"`).join(', ');
  if (isDeserted) {
    return (
      `Nobody is there to fire ${names}: neither a server nor a worker runs here. Start both, and keep them running: voxbatch up ` +
      '(as a service: voxbatch up --print-unit systemd)'
    );
  }
  const command = isCluster || hasUp ? 'voxbatch worker' : 'voxbatch up';
  return (
    `No worker for the account of ${names} is there: what fires waits for one. ` +
    `Start one with the token of that account, and keep it running: ${command}`
  );
}

/** Returns the details of a schedule as lines. */
export function scheduleLines({ view, run }: ShownSchedule, around: Surroundings): readonly string[] {
  const { schedule, times, timezone, jitterMs, overlap, catchUpMs, pauseOnFailure, until, runsLeft, month } = view;
  const { paused, manifest, out, budget, onEnd, notify, fired, missed, skippedOverlap, next, occurrences } = view;
  const lines = [
    `Schedule "${schedule}": ${stateWords(view)}, ${times}, ${timezone}`,
    `  overlap ${overlap}, catch-up ${formatDuration(catchUpMs)}${jitterMs === 0 ? '' : `, jitter ${formatDuration(jitterMs)}`}` +
      `${pauseOnFailure ? ', pauses on failure' : ''}${until === null ? '' : `, until ${timeInZone(Date.parse(until), timezone)}`}` +
      (runsLeft === null ? '' : `, ${plural(runsLeft, 'more run')}`),
    manifest === null
      ? '  made by another version of voxbatch; update it with --manifest'
      : `  runs ${oneLine(manifest)}, budget ${budget === null ? 'none' : `${number(budget)} credits each`}, files in ${oneLine(out ?? '')}/`,
    `  fired ${number(fired)}, skipped for overlap ${number(skippedOverlap)}, missed ${number(missed)}`,
  ];
  const settings = run === undefined ? '' : runWords(run);
  if (settings !== '') lines.push(`  with ${oneLine(settings)}`);
  const hooks = Object.fromEntries(Object.entries({ onEnd, notify }).filter(([, value]) => value !== null));
  if (Object.keys(hooks).length > 0) lines.push(`  ${oneLine(describeTuning(tuningOf(hooks)))}`);
  if (month !== null) lines.push(`  ${monthWords(month)}`);
  for (const occurrence of occurrences) lines.push(`  ${occurrenceWords(occurrence, timezone)}`);
  if (paused)
    lines.push(`  It does not fire while it is paused. To resume it: voxbatch schedule resume ${shellWord(schedule)}`);
  else if (next.length === 0) lines.push('  It does not fire any more.');
  else for (const at of next.slice(0, MAX_NEXT)) lines.push(`  next: ${timeInZone(Date.parse(at), timezone)}`);
  if (lacksWorker(view.worker, around)) lines.push(noWorkerWords([schedule], around));
  return lines;
}

/**
 * Describes one firing:
 * `Tue 2026-12-01 02:00:00 UTC: nightly.2026-12-01T02-00-00Z ended, exit code 0, 120 credits`. The exit code is there
 * once the batch has ended.
 */
function occurrenceWords(view: OccurrenceView, timezone: string): string {
  const { at, batch, state, exitCode, reason, cause, charged, manifestUnchanged } = view;
  const words = [`${timeInZone(Date.parse(at), timezone)}: ${batch} ${state}${inBrackets(cause)}`];
  if (exitCode !== null) words.push(`exit code ${exitCode}`);
  if (charged !== null) words.push(`${number(charged)} credits`);
  if (manifestUnchanged === true) words.push('manifest as before');
  return reason === null ? words.join(', ') : `${words.join(', ')}: ${oneLine(reason)}`;
}

/** Returns the lines of a checked schedule. `since`: how far back its occurrences go, as written on a command line. */
export function checkLines(check: ScheduleCheck, since: string): readonly string[] {
  const { schedule } = check;
  if (check.lost) {
    return [`AMISS ${schedule}: Temporal does not know this schedule any more. ${remakeWords(schedule)}`];
  }
  const { timezone, occurrences, pausedOnFailure } = check;
  const lines = occurrences.map(
    (occurrence) => `${occurrence.amiss ? 'AMISS' : 'ok   '} ${occurrenceWords(occurrence, timezone)}`,
  );
  // What failed may be older than the range.
  if (pausedOnFailure) return [`AMISS ${schedule}: ${pausedItselfWords(schedule)}`, ...lines];
  return lines.length > 0 ? lines : [`ok    ${schedule}: was not due in the last ${since}`];
}

/** Says that a schedule has paused by itself, with the commands that say why and that resume it. */
function pausedItselfWords(schedule: string): string {
  const name = shellWord(schedule);
  return `paused by itself, because an occurrence failed, and does not fire. To see what failed: voxbatch schedule show ${name}. To resume it: voxbatch schedule resume ${name}`;
}

/** Describes the latest firings: `skipped (missed), 3 amiss in a row`. */
export function recentWords({ lastState, lastCause, lastExitCode, amissInARow }: ScheduleLine): string {
  if (lastState === null) return '';
  const code = lastExitCode === null || lastExitCode === 0 ? '' : `, exit code ${lastExitCode}`;
  return `${lastState}${inBrackets(lastCause)}${code}${amissInARow < 2 ? '' : `, ${number(amissInARow)} amiss in a row`}`;
}

function inBrackets(cause: string | null): string {
  return cause === null ? '' : ` (${cause})`;
}

/** Describes what a backfill makes. */
export function backfillWords(schedule: string, { fires, made }: Backfilled): string {
  if (fires + made === 0) return `Schedule "${schedule}" is never due in that range: nothing fires.`;
  const rest = `${number(made)} ${made === 1 ? 'has a batch already and gets' : 'have a batch already and get'} no other.`;
  if (fires === 0) return `Schedule "${schedule}" has nothing to make up for in that range: ${rest}`;
  const found = fires === 1 ? 'a time' : `${number(fires)} times`;
  return `Schedule "${schedule}" fires for ${found} of that range.${made === 0 ? '' : ` ${rest}`}`;
}

/**
 * Describes how a firing ended, for `trigger --wait`. `out`: the folder with a folder for each batch; null if unknown.
 */
export function endingWords(view: OccurrenceView, schedule: string, out: string | null): string {
  const { batch, state, cause, reason, charged } = view;
  switch (state) {
    case 'ended': {
      const files = out === null ? '' : ` Its files are in ${oneLine(join(out, batch))}/.`;
      return `Batch ${batch} has ended: ${number(charged ?? 0)} credits.${files} For its counts: voxbatch status ${shellWord(batch)}`;
    }
    case 'failed':
      return `The occurrence of batch ${batch} failed: ${reason ?? 'no reason is on record.'}`;
    case 'skipped': {
      const why = `${inBrackets(cause)}${reason === null ? '.' : `: ${reason}`}`;
      return `Schedule "${schedule}" fired, and this occurrence was skipped${why} No batch was made, and nothing was spent.`;
    }
    case 'waiting':
      return `Batch ${batch} is not made yet: ${reason ?? 'its occurrence waits.'} To see how it goes on: voxbatch schedule show ${shellWord(schedule)}`;
    case 'running':
      return `Batch ${batch} is paused. To see why: voxbatch status ${shellWord(batch)}`;
  }
}

/**
 * Describes what a firing would cost now, and warns if it would be refused. `month`: the schedule's budget for this
 * month, of which a firing gets no more than what is left.
 */
export function priceLines(
  price: NonNullable<PreviewView['each']>,
  month: Pick<ScheduleMonth, 'left'> | null,
): readonly string[] {
  if (price.type === 'unsound') return [`Warning: it could not run now: ${oneLine(price.reason).replace(/[.]$/, '')}.`];
  const { rows, free, quoted, unpriced, budget, refusal } = price;
  const cached = free === 0 ? '' : `, ${number(free)} of them with a result that is there already`;
  const more = unpriced === 0 ? '' : ` and ${plural(unpriced, 'row')} without a known price`;
  const isLeftLess = month !== null && month.left < (budget ?? Infinity);
  const byBudget = budget === null ? '' : `, at most ${number(budget)} by its budget`;
  const bound = isLeftLess ? `, at most ${number(month.left)}, which are left this month` : byBudget;
  const cost = `Each run would now be ${plural(rows, 'row')}${cached}: ~${number(quoted)} credits${more}${bound}.`;
  return refusal === null ? [cost] : [cost, `Warning: as it is now, no firing would make a batch: ${refusal}.`];
}

/**
 * Describes a monthly budget:
 * `budget of 2026-12: 320 of 1,000 credits spent or reserved, up to 40 more reserved by open batches, 640 left`.
 */
export function monthWords({ month, credits, spent, held, left }: ScheduleMonth): string {
  const reserved = held === 0 ? '' : `, up to ${number(held ?? 0)} more reserved by open batches`;
  const others = held === null ? ', a batch without a budget runs' : reserved;
  return `budget of ${month}: ${number(spent)} of ${number(credits)} credits spent or reserved${others}, ${number(left)} left`;
}

type ScheduledRun = NonNullable<ShownSchedule['run']>;

/**
 * Describes how a schedule's batches are run, budget and defaults left out: `cache fresh, --confirm 200, --sample 20`.
 * Empty if everything has its default.
 */
export function runWords(run: ScheduledRun): string {
  const { confirmAbove, subset, probe, strict, tts, legacyShare, join, split, finish, textLimit, kind, defaults, map } =
    run;
  const words = [describeTuning(tuningOf(changedTunables(run)))];
  if (confirmAbove !== null) words.push(`--confirm ${String(confirmAbove)}`);
  if (subset !== null) words.push(subsetFlags(subset).join(' '));
  if (probe) words.push('--probe');
  if (strict) words.push('--strict');
  if (tts !== 'job') words.push(`--tts ${tts}`);
  if (legacyShare !== undefined) words.push(`--api-dialect ${formatDialectChoice(legacyShare)}`);
  if (join !== undefined) words.push(`--join ${join.column}`);
  if (join !== undefined && join.pause > 0) words.push(`--pause ${String(join.pause)}`);
  if (split !== undefined) words.push(`--split ${split}`);
  if (textLimit !== undefined) words.push(`textLimit ${textLimit}`);
  if (finish !== undefined) words.push(finishingFlags(finish).join(' ').replaceAll(' --', ', --'));
  if (kind !== null) words.push(`--kind ${kind}`);
  for (const [name, value] of Object.entries(defaults)) words.push(`--${name} ${value}`);
  for (const [ours, theirs] of Object.entries(map)) words.push(`--map ${ours}=${theirs}`);
  return words.filter((word) => word !== '').join(', ');
}

/**
 * Describes the settings that a schedule had before an update and has no more: `budget 300 credits, --confirm 200`.
 * Empty if there are none.
 */
export function droppedWords(before: ScheduledRun, after: ScheduledRun): string {
  const had = { ...changedTunables(before), ...budgetOf(before) };
  const has = { ...changedTunables(after), ...budgetOf(after) };
  const lost = Object.fromEntries(Object.entries(had).filter(([name]) => !(name in has)));
  const left = runWords({ ...after, tunables: {} }).split(', ');
  const flags = runWords({ ...before, tunables: {} })
    .split(', ')
    .filter((flag) => flag !== '' && !left.some((kept) => kept.split(' ')[0] === flag.split(' ')[0]));
  return [describeTuning(tuningOf(lost)), ...flags].filter((word) => word !== '').join(', ');
}

function budgetOf({ tunables }: ScheduledRun): Partial<TunableValues> {
  const { budget = null } = tunables;
  return budget === null ? {} : { budget };
}

/** Returns the tunables that differ from their defaults, without the budget. */
function changedTunables({ tunables }: ScheduledRun): Partial<TunableValues> {
  const defaults = new Map<string, unknown>(Object.entries(valuesOf(DEFAULT_TUNABLES)));
  return Object.fromEntries(
    Object.entries(tunables).filter(
      ([name, value]) => name !== 'budget' && !isDeepStrictEqual(defaults.get(name), value),
    ),
  );
}
