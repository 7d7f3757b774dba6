import type { ScheduledPrice } from '../../batches/schedules/price-scheduled.ts';
import type { ScheduleLine, ScheduleView } from '../../client/schedules/look-at-schedules.ts';
import type { OccurrenceView } from '../../client/schedules/occurrence-views.ts';
import type { ScheduleMonth } from '../../client/schedules/schedule-month.ts';
import { timesInWords } from '../../client/schedules/spec-coding.ts';
import { EXIT_CODES } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { labelOfPlace } from '../../inputs/manifest-url.ts';
import { tuningOf } from '../../contract/tunables.ts';
import type { ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import { formatDuration } from '../../contract/duration.ts';
import { rowsInWords } from '../terminal/row-words.ts';
import { number } from '../terminal/words.ts';
import { describeTuning } from '../terminal/tunable-words.ts';
import { hostOf } from '../../client/look/tunables-view.ts';
import { oneLine } from '../terminal/table.ts';
import { timeInZone } from '../terminal/zone-time.ts';
import { runWords } from './run-words.ts';
import { isLeftAlone, nobodyFires, type Surroundings } from './surroundings.ts';

/** Number of next firings shown; `schedule preview` shows more. */
const SHOWN_NEXT = 3;

/** `paused (new voices)`. */
export function standingWords(isPaused: boolean, note: string): string {
  return `${isPaused ? 'paused' : 'active'}${note === '' ? '' : ` (${oneLine(note)})`}`;
}

/** Schedules that the message names at most. */
const SHOWN_STRANGERS = 5;

/** That Temporal has schedules of which the ledger does not know. */
export function strangerWords(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_STRANGERS).map((name) => `"${oneLine(name)}"`);
  const more = names.length > shown.length ? ` and ${number(names.length - shown.length)} more` : '';
  return (
    `Temporal has ${shown.join(', ')}${more}, which the ledger does not know: what they fire is refused. ` +
    `To delete one: voxbatch schedule delete ${shellWord(oneLine(names[0] ?? 'NAME'))}`
  );
}

/** Details of a schedule, in a few lines. */
export function scheduleLines(view: ScheduleView, around: Surroundings): readonly string[] {
  const { name, spec, run, hooks, month, isPaused, note, next, counts, occurrences } = view;
  const { timezone, jitterMs, overlap, catchUpMs, pauseOnFailure, until, runs } = spec;
  const lines = [
    `Schedule "${name}": ${standingWords(isPaused, note)}, ${timesInWords(spec.times)}, ${timezone}`,
    `  overlap ${overlap}, catch-up ${formatDuration(catchUpMs)}${jitterMs === 0 ? '' : `, jitter ${formatDuration(jitterMs)}`}` +
      `${pauseOnFailure ? ', pauses on failure' : ''}${until === null ? '' : `, until ${timeInZone(until, timezone)}`}` +
      (runs === null ? '' : `, ${number(runs)} more ${runs === 1 ? 'run' : 'runs'}`),
    run === undefined
      ? '  made by another version of voxbatch; update it with --manifest'
      : `  runs ${oneLine(labelOfPlace(run.manifest))}, budget ${budgetOf(run) === null ? 'none' : `${number(budgetOf(run) ?? 0)} credits each`}, files in ${oneLine(run.outFolder)}/`,
    `  fired ${number(counts.taken)}, skipped for overlap ${number(counts.skippedOverlap)}, missed ${number(counts.missedCatchUp)}`,
  ];
  const settings = run === undefined ? '' : runWords(run);
  if (settings !== '') lines.push(`  with ${oneLine(settings)}`);
  if (hooks.onEnd !== null || hooks.notify !== null) {
    const set = Object.entries(hooks).filter(([, value]) => value !== null);
    lines.push(`  ${oneLine(describeTuning(tuningOf(Object.fromEntries(set))))}`);
  }
  if (month !== undefined) lines.push(`  ${monthWords(month)}`);
  for (const one of occurrences) lines.push(`  ${occurrenceWords(one, timezone)}`);
  if (isPaused)
    lines.push(`  It does not fire while it is paused. To resume it: voxbatch schedule resume ${shellWord(name)}`);
  else if (next.length === 0) lines.push('  It does not fire any more.');
  else for (const at of next.slice(0, SHOWN_NEXT)) lines.push(`  next: ${timeInZone(at, timezone)}`);
  if (isLeftAlone(view, around)) lines.push(nobodyFires([name], around));
  return lines;
}

/**
 * `Tue 2026-12-01 02:00:00 UTC: nightly.2026-12-01T02-00-00Z ended, exit code 0, 120 credits`. An exit code is that of a batch which is over.
 */
export function occurrenceWords(view: OccurrenceView, timezone: string): string {
  const { at, batch, state, reason, cause, charged, isUnchanged } = view;
  const exit = exitCodeOf(view);
  const words = [`${timeInZone(at, timezone)}: ${batch} ${state}${cause === undefined ? '' : ` (${cause})`}`];
  if (exit !== null) words.push(`exit code ${exit}`);
  if (charged !== undefined) words.push(`${number(charged)} credits`);
  if (isUnchanged === true) words.push('manifest as before');
  return reason === undefined ? words.join(', ') : `${words.join(', ')}: ${oneLine(reason)}`;
}

/** `skipped (missed), 3 amiss in a row` */
export function recentWords({ newest, amissInARow }: ScheduleLine['recent']): string {
  if (newest === undefined) return '';
  const { state, cause, exit } = newest;
  const code = exit === null || exit === 'complete' ? '' : `, exit code ${EXIT_CODES[exit].code}`;
  const others = amissInARow < 2 ? '' : `, ${number(amissInARow)} amiss in a row`;
  return `${state}${cause === null ? '' : ` (${cause})`}${code}${others}`;
}

/** An occurrence for machines; its time in UTC. */
export function occurrenceJson(view: OccurrenceView): object {
  const { at, batch, state, reason, cause, exit, charged, etag, isUnchanged } = view;
  const code = exitCodeOf(view);
  return {
    at: isoOf(at),
    batch,
    state,
    exit: code === null ? null : exit,
    exit_code: code,
    charged: charged ?? null,
    cause: cause ?? null,
    reason: reason ?? null,
    etag: etag ?? null,
    manifest_unchanged: isUnchanged ?? null,
  };
}

/** Of a batch that is over; null: it is not, or there is none. */
function exitCodeOf({ state, exit }: OccurrenceView): number | null {
  return exit === undefined || (state !== 'ended' && state !== 'failed') ? null : EXIT_CODES[exit].code;
}

function budgetOf({ tunables }: ScheduledRun): number | null {
  return tunables.budget ?? null;
}

/** What each firing would be refused for, by budget or `--confirm`; undefined: nothing. */
export function refusalWarning(price: ScheduledPrice): string | undefined {
  if (price.type === 'unsound' || price.refusal === null) return undefined;
  return `Warning: as it is now, no firing would make a batch: ${price.refusal}.`;
}

/** What a firing would cost now. */
export function priceWords(price: ScheduledPrice): string {
  if (price.type === 'unsound') return `Warning: it could not run now: ${oneLine(price.reason).replace(/[.]$/, '')}.`;
  const { rows, free, quoted, unpriced, budget } = price;
  const cached = free === 0 ? '' : `, ${number(free)} of them with a result that is there already`;
  const more = unpriced === 0 ? '' : ` and ${rowsInWords(unpriced)} without a known price`;
  const bound = budget === null ? '' : `, at most ${number(budget)} by its budget`;
  return `Each run would now be ${rowsInWords(rows)}${cached}: ~${number(quoted)} credits${more}${bound}.`;
}

/** `budget of 2026-12: 320 of 1,000 credits spent or reserved, up to 40 more by batches that still run, 640 left` */
export function monthWords({ month, credits, spent, held, left }: ScheduleMonth): string {
  const others =
    held === null
      ? ', a batch without a budget runs'
      : held === 0
        ? ''
        : `, up to ${number(held)} more by batches that still run`;
  return `budget of ${month}: ${number(spent)} of ${number(credits)} credits spent or reserved${others}, ${number(left)} left`;
}

/** Details of a schedule, for machines; times in UTC. */
export function scheduleJson(view: ScheduleView): object {
  const { name, spec, run, hooks, month, isPaused, note, next, hasWorker, counts, occurrences } = view;
  const { timezone, jitterMs, overlap, catchUpMs, pauseOnFailure, until, runs } = spec;
  return {
    schedule: name,
    times: timesInWords(spec.times),
    timezone,
    paused: isPaused,
    note,
    jitter_ms: jitterMs,
    overlap,
    catch_up_ms: catchUpMs,
    pause_on_failure: pauseOnFailure,
    until: until === null ? null : isoOf(until),
    runs_left: runs,
    manifest: run === undefined ? null : labelOfPlace(run.manifest),
    out: run?.outFolder ?? null,
    budget: run?.tunables.budget ?? null,
    confirm: run?.confirmAbove ?? null,
    cache: run?.tunables.cache ?? null,
    month: month ?? null,
    on_end: hooks.onEnd,
    notify: hooks.notify === null ? null : hostOf(hooks.notify),
    worker: hasWorker,
    fired: counts.taken,
    missed: counts.missedCatchUp,
    skipped_overlap: counts.skippedOverlap,
    next: next.map(isoOf),
    occurrences: occurrences.map(occurrenceJson),
  };
}

/** A schedule in a list, for machines; times in UTC. */
export function lineJson(line: ScheduleLine): object {
  const { name, times, timezone, isPaused, note, next, last, hasWorker, month, recent } = line;
  return {
    schedule: name,
    times,
    timezone,
    paused: isPaused,
    note,
    next: next === undefined ? null : isoOf(next),
    last: last ?? null,
    worker: hasWorker,
    month: month ?? null,
    last_state: recent.newest?.state ?? null,
    last_cause: recent.newest?.cause ?? null,
    amiss_in_a_row: recent.amissInARow,
  };
}

/** A time in UTC, to the second. */
export function isoOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
