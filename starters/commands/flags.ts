import { Option, type Command } from 'commander';
import { COMMON_FLAGS, OTHER_TUNING, PAGE_FLAG, SPECIAL_FLAGS } from './command-flags.ts';
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
  ['', { ...SPECIAL_FLAGS, ...COMMON_FLAGS, ...WORKER_VERSION }],
  ['Manifest:', MANIFEST],
  ['Sound:', SOUND],
  ['Firing:', FIRING],
  ['Charges:', { ...CHARGES, ...charges }],
  ['Limits:', { halt, rate, submits, window, pollRate }],
  ['At the end:', { onEnd, notify }],
  ['Local media:', LOCAL_MEDIA],
  ['Webhooks:', WEBHOOKS],
  ['API and output:', { ...API, ...METRICS, ...PAGE_FLAG, ...OUTPUT }],
];

/** All flags by value name. {@link GROUPS} has the same as a list, whose type has no names. */
type Table = typeof COMMON_FLAGS &
  typeof WORKER_VERSION &
  typeof METRICS &
  typeof PAGE_FLAG &
  typeof SPECIAL_FLAGS &
  typeof MANIFEST &
  typeof SOUND &
  typeof FIRING &
  typeof CHARGES &
  typeof LOCAL_MEDIA &
  typeof WEBHOOKS &
  typeof API &
  typeof OUTPUT;

/**
 * The type of a flag's value without a parser, derived from its syntax: `<x>` a string, `<x...>` a list, `[x]` a string
 * or `true`, nothing a boolean.
 */
type ValueOfSyntax<F extends string> = F extends `${string}[${string}`
  ? (F extends `${string}...]` ? readonly string[] : string) | true
  : F extends `${string}...>`
    ? readonly string[]
    : F extends `${string}<${string}`
      ? string
      : boolean;

/** The type of a flag's value: one of its choices, what its parser returns, or as its syntax says. */
type Value<F extends Flag> = F extends readonly [infer Syntax, string, infer Takes]
  ? Takes extends readonly (infer Word)[]
    ? Word
    : Takes extends (...given: never[]) => infer Read
      ? Read | Extract<ValueOfSyntax<Syntax & string>, true>
      : never
  : ValueOfSyntax<F[0]>;

/** The flag values of a command line. Flags not given are absent. */
export type Flags = {
  readonly [Name in Exclude<keyof Table, 'budget'>]?: Value<Table[Name]>;
} & TuningFlags;

/**
 * Adds the named flags to a command, in the order of the help. `own`: flags with a syntax or meaning of this command's
 * own, which replace shared ones of the same name.
 */
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
