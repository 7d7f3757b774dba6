import { InvalidArgumentError } from 'commander';
import { TUNABLE_NAMES, TUNABLES, tuningOf, type TunableName, type Tuning } from '../../contract/tunables.ts';
import { expectedOf, parseValue, type AnyValue, type ValueKind } from '../../contract/value-kinds.ts';
import { flagOf, helpOf } from '../terminal/tunable-words.ts';
import type { Flag } from './flag-values.ts';

/**
 * The flags of settings that `tune` can change, checked but kept as typed, since advice repeats the command line. Flags
 * not given are absent.
 */
export type TuningFlags = { readonly [N in TunableName]?: string };

const PLACEHOLDERS: Readonly<Partial<Record<ValueKind['type'], string>>> = {
  credits: 'credits',
  command: 'command',
  url: 'url',
  count: 'n',
  rate: 'n',
};

/** The table of {@link TuningFlags}. */
export const TUNING = Object.fromEntries(
  TUNABLE_NAMES.map((name): readonly [string, Flag] => {
    const { takes } = TUNABLES[name];
    const checkOnly = (text: string): string => {
      parse(takes, text);
      return text;
    };
    const flag = `${flagOf(name)} <${PLACEHOLDERS[takes.type] ?? 'policy'}>`;
    return [name, [flag, helpOf(name), takes.type === 'choice' ? takes.words : checkOnly]];
  }),
) as Readonly<Record<TunableName, Flag>>;

/** Parses the flags that were given. */
export function readTuning(flags: TuningFlags): Tuning {
  const given = TUNABLE_NAMES.flatMap((name) => {
    const text = flags[name];
    return text === undefined ? [] : [[name, parse(TUNABLES[name].takes, text)] as const];
  });
  return tuningOf(Object.fromEntries(given));
}

function parse(takes: ValueKind, text: string): AnyValue {
  const value = parseValue(takes, text);
  if (value === undefined) throw new InvalidArgumentError(`expected ${expectedOf(takes)}.`);
  return value;
}
