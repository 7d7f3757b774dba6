import { InvalidArgumentError, Option, type Command } from 'commander';
import type { BatchLimits, Tuning } from '../../contract/batch.ts';
import { formatHalt, HALT_FORMS, parseHalt, type HaltPolicy } from '../../contract/halt.ts';
import { MOST_SUBMITS, MOST_WINDOW } from '../../contract/limit-bounds.ts';
import { UNKNOWN_POLICIES, type UnknownPolicy } from '../../contract/outcomes.ts';
import { MOST_RETAKES } from '../../inputs/most-retakes.ts';
import { number } from '../terminal/progress.ts';

/** Flags for what may be changed while a batch runs. A flag that was not given is not there. */
export interface TuningFlags {
  readonly rate?: number | 'none';
  readonly submits?: number;
  readonly window?: number;
  readonly pollRate?: number | 'none';
  readonly budget?: number | 'none';
  readonly halt?: HaltPolicy;
  readonly onUnknown?: UnknownPolicy;
  readonly retakes?: number;
}

/** Adds the flags of {@link TuningFlags}. None has a default here, so that what was given can be told from what was not. */
export function addTuningFlags(command: Command): Command {
  return command
    .option('--budget <credits>', 'never spend more than this; none takes it away (default: none)', positiveOrNone)
    .option(
      '--halt <policy>',
      `give up at failures: ${HALT_FORMS} (default: alike, which pauses where the first 20 paid rows all fail with one class)`,
      halt,
    )
    .addOption(
      new Option(
        '--on-unknown <policy>',
        'a row whose answer was lost: hold it, pay again, or let it fail (default: hold)',
      ).choices(UNKNOWN_POLICIES),
    )
    .option('--retakes <n>', 'pay so often again by itself after a job that failed, 0 to 10 (default: 0)', retakes)
    .option('--rate <n>', 'paid requests a second; none: as the API allows (default: none)', positiveOrNone)
    .option(
      '--submits <n>',
      'paid requests on the wire at once: what a crash can leave unknown, 1 to 256 (default: 8)',
      upTo(MOST_SUBMITS),
    )
    .option('--window <n>', 'rows in flight, 1 to 10000 (default: 400)', upTo(MOST_WINDOW))
    .option('--poll-rate <n>', 'status reads a second; none: as the API allows (default: none)', positiveOrNone);
}

/** What was given on the command line, and nothing else. */
export function readTuning(flags: TuningFlags): Tuning {
  const { submits, window, halt, onUnknown, retakes } = flags;
  const limits = given({ rate: orNull(flags.rate), submits, window, pollRate: orNull(flags.pollRate) });
  const budget = orNull(flags.budget);
  return {
    ...given({ budget, halt, onUnknown, retakes }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}

/** `budget 500 credits, rate 5`: a tuning in words; empty if nothing was given. */
export function describeTuning({ limits = {}, budget, halt, onUnknown, retakes }: Tuning): string {
  const names = { rate: 'rate', submits: 'submits', window: 'window', pollRate: 'poll rate' } as const;
  const limit = (name: keyof BatchLimits): string[] => {
    const value = limits[name];
    return value === undefined ? [] : [`${names[name]} ${value === null ? 'as the API allows' : String(value)}`];
  };
  return [
    ...(budget === undefined ? [] : [budget === null ? 'no budget' : `budget ${number(budget)} credits`]),
    ...(halt === undefined ? [] : [`halt ${formatHalt(halt)}`]),
    ...(onUnknown === undefined ? [] : [`on unknown ${onUnknown}`]),
    ...(retakes === undefined ? [] : [`retakes ${String(retakes)}`]),
    ...(Object.keys(names) as (keyof BatchLimits)[]).flatMap(limit),
  ].join(', ');
}

/** A number above 0, for a flag. */
export function positive(value: string): number {
  const parsed = value.trim() === '' ? Number.NaN : Number(value);
  if (!(parsed > 0) || !Number.isFinite(parsed)) throw new InvalidArgumentError('expected a number above 0.');
  return parsed;
}

/** A whole number from 1 to `most`, for a flag. */
function upTo(most: number): (value: string) => number {
  return (value) => {
    const parsed = positive(value);
    if (!Number.isInteger(parsed)) throw new InvalidArgumentError('expected a whole number above 0.');
    if (parsed > most) throw new InvalidArgumentError(`expected a whole number from 1 to ${String(most)}.`);
    return parsed;
  };
}

/** Commander takes a null for an empty text, so `none` stays a word until {@link readTuning}. */
function positiveOrNone(value: string): number | 'none' {
  return value === 'none' ? value : positive(value);
}

function orNull<T>(value: T | 'none' | undefined): T | null | undefined {
  return value === 'none' ? null : value;
}

function halt(value: string): HaltPolicy {
  const policy = parseHalt(value);
  if (policy === undefined) throw new InvalidArgumentError(`expected ${HALT_FORMS}.`);
  return policy;
}

function retakes(value: string): number {
  if (!/^\d+$/.test(value) || Number(value) > MOST_RETAKES)
    throw new InvalidArgumentError(`expected a whole number from 0 to ${String(MOST_RETAKES)}.`);
  return Number(value);
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}
