import { isDeepStrictEqual } from 'node:util';
import { formatDialectChoice } from '../../contract/dialects.ts';
import { finishingFlags } from '../../contract/finishing.ts';
import { subsetFlags } from '../../contract/subset.ts';
import { DEFAULT_TUNABLES, tuningOf, valuesOf, type TunableValues } from '../../contract/tunables.ts';
import type { ShownSchedule } from '../../client/schedules/look-at-schedules.ts';
import { describeTuning } from '../terminal/tunable-words.ts';

type ScheduledRun = NonNullable<ShownSchedule['run']>;

/**
 * How the batches of a schedule are run where that is not by default, besides their budget: `cache fresh, --confirm 200, --sample 20`. Empty if
 * all is.
 */
export function runWords(run: ScheduledRun): string {
  const { confirmAbove, subset, probe, strict, tts, legacyShare, join, split, finish, textLimit, kind, defaults, map } =
    run;
  const words = [describeTuning(tuningOf(unusual(run)))];
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
  return words.filter((one) => one !== '').join(', ');
}

/** What another run of the schedule had besides its defaults, and this one has not: `budget 300 credits, --confirm 200`. Empty: nothing. */
export function droppedWords(before: ScheduledRun, after: ScheduledRun): string {
  const had = { ...unusual(before), ...budgetOf(before) };
  const has = { ...unusual(after), ...budgetOf(after) };
  const lost = Object.fromEntries(Object.entries(had).filter(([name]) => !(name in has)));
  const left = runWords({ ...after, tunables: {} }).split(', ');
  const flags = runWords({ ...before, tunables: {} })
    .split(', ')
    .filter((flag) => flag !== '' && !left.some((one) => one.split(' ')[0] === flag.split(' ')[0]));
  return [describeTuning(tuningOf(lost)), ...flags].filter((one) => one !== '').join(', ');
}

function budgetOf({ tunables }: ScheduledRun): Partial<TunableValues> {
  const { budget = null } = tunables;
  return budget === null ? {} : { budget };
}

/** Its tunables that are not the defaults; the budget is told apart from them. */
function unusual({ tunables }: ScheduledRun): Partial<TunableValues> {
  const usual = new Map<string, unknown>(Object.entries(valuesOf(DEFAULT_TUNABLES)));
  return Object.fromEntries(
    Object.entries(tunables).filter(([name, value]) => name !== 'budget' && !isDeepStrictEqual(usual.get(name), value)),
  );
}
