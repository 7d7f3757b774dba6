import { Option, type Command } from 'commander';
import { FIRST, OF_ONE, OTHER_TUNING, PAGE } from './command-flags.ts';
import type { Flag, FlagTable } from './flag-values.ts';
import {
  API,
  CHARGES,
  FIRING,
  LOCAL_MEDIA,
  MANIFEST,
  METRICS,
  OUTPUT,
  SOUND,
  WEBHOOKS,
  WORKER_VERSION,
} from './shared-flags.ts';
import type { TuningFlags } from './tuning-flags.ts';

const { onEnd, notify, halt, rate, submits, window, pollRate, ...charges } = OTHER_TUNING;

/** All flags by value name, in help order, grouped by heading; flags with an empty heading come first. */
const GROUPS: readonly (readonly [heading: string, flags: FlagTable])[] = [
  ['', { ...OF_ONE, ...FIRST, ...WORKER_VERSION }],
  ['Manifest:', MANIFEST],
  ['Sound:', SOUND],
  ['Firing:', FIRING],
  ['Charges:', { ...CHARGES, ...charges }],
  ['Limits:', { halt, rate, submits, window, pollRate }],
  ['At the end:', { onEnd, notify }],
  ['Local media:', LOCAL_MEDIA],
  ['Webhooks:', WEBHOOKS],
  ['API and output:', { ...API, ...METRICS, ...PAGE, ...OUTPUT }],
];

type Table = typeof FIRST &
  typeof WORKER_VERSION &
  typeof METRICS &
  typeof PAGE &
  typeof OF_ONE &
  typeof MANIFEST &
  typeof SOUND &
  typeof FIRING &
  typeof CHARGES &
  typeof LOCAL_MEDIA &
  typeof WEBHOOKS &
  typeof API &
  typeof OUTPUT;

/** The type of a flag's value, derived from its syntax. */
type Text<F extends string> = F extends `${string}[${string}`
  ? (F extends `${string}...]` ? readonly string[] : string) | true
  : F extends `${string}...>`
    ? readonly string[]
    : F extends `${string}<${string}`
      ? string
      : boolean;

type Value<F extends Flag> = F extends readonly [infer Written, string, infer Takes]
  ? Takes extends readonly (infer Word)[]
    ? Word
    : Takes extends (...given: never[]) => infer Read
      ? Read | Extract<Text<Written & string>, true>
      : never
  : Text<F[0]>;

/** The flag values of a command line. Flags not given are absent. */
export type Flags = {
  readonly [Name in Exclude<keyof Table, 'budget'>]?: Value<Table[Name]>;
} & TuningFlags;

/** Adds flags to a command by their names, in the order of the help. `own`: as this command has them. */
export function addFlags(command: Command, names: readonly string[], own: FlagTable = {}): Command {
  const add = (flag: Flag, heading: string): void => {
    const [flags, means, takes] = flag;
    const option = new Option(flags, means);
    if (heading !== '') option.helpGroup(heading);
    if (typeof takes === 'function') option.argParser(takes as (text: string, before: unknown) => unknown);
    else if (takes !== undefined) option.choices(takes);
    command.addOption(option);
  };
  const isKnown = (name: string): boolean => GROUPS.some(([, flags]) => name in flags);
  for (const [name, flag] of Object.entries(own)) if (!isKnown(name)) add(flag, '');
  for (const [heading, flags] of GROUPS)
    for (const [name, flag] of Object.entries(flags))
      if (name in own || names.includes(name)) add(own[name] ?? flag, heading);
  return command;
}
