import { InvalidArgumentError, Option, type Command } from 'commander';
import type { BatchLimits, Tuning } from '../../contract/batch.ts';
import { formatHalt, HALT_FORMS, parseHalt, type HaltPolicy } from '../../contract/halt.ts';
import { UNKNOWN_POLICIES, type UnknownPolicy } from '../../contract/outcomes.ts';
import { MOST_RETAKES } from '../../inputs/most-retakes.ts';
import { number } from '../terminal/progress.ts';

/** Flags for what may be changed while a batch runs. A flag that was not given is not there. */
export interface TuningFlags {
  readonly rate?: number;
  readonly submits?: number;
  readonly window?: number;
  readonly pollRate?: number;
  /** Null: `none`. */
  readonly budget?: number | null;
  readonly halt?: HaltPolicy;
  readonly onUnknown?: UnknownPolicy;
  readonly retakes?: number;
}

/** Adds the flags of {@link TuningFlags}. None has a default here, so that what was given can be told from what was not. */
export function addTuningFlags(command: Command): Command {
  return command
    .option('--budget <credits>', 'never spend more than this; none takes it away (default: none)', budget)
    .option('--halt <policy>', `give up at failures: ${HALT_FORMS} (default: never)`, halt)
    .addOption(
      new Option(
        '--on-unknown <policy>',
        'a row whose answer was lost: hold it, pay again, or let it fail (default: hold)',
      ).choices(UNKNOWN_POLICIES),
    )
    .option('--retakes <n>', 'pay so often again by itself after a job that failed, 0 to 10 (default: 0)', retakes)
    .option('--rate <n>', 'paid requests a second (default: as the API allows)', positive)
    .option('--submits <n>', 'paid requests on the wire at once: what a crash can leave unknown (default: 8)', count)
    .option('--window <n>', 'rows in flight (default: 400)', count)
    .option('--poll-rate <n>', 'status reads a second (default: as the API allows)', positive);
}

/** What was given on the command line, and nothing else. */
export function readTuning(flags: TuningFlags): Tuning {
  const limits = given({ rate: flags.rate, submits: flags.submits, window: flags.window, pollRate: flags.pollRate });
  const { budget, halt, onUnknown, retakes } = flags;
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

function count(value: string): number {
  const parsed = positive(value);
  if (!Number.isInteger(parsed)) throw new InvalidArgumentError('expected a whole number above 0.');
  return parsed;
}

function budget(value: string): number | null {
  if (value === 'none') return null;
  return positive(value);
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
