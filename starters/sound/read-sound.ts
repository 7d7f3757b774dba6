import { defined } from '../../contract/defined.ts';
import {
  effectiveFinishing,
  findFinishingFault,
  type Joining,
  type WantedFinishing,
} from '../../contract/finishing.ts';
import type { Flags } from '../commands/flags.ts';
import { usageError } from '../exit-error.ts';

/**
 * Reads the flags for joining speech (`--join`, `--pause`) and for finished copies (`--loudness` …); each is undefined
 * without its flags. Throws {@link ExitError} `usage`.
 */
export function readSound(flags: Flags): {
  readonly join: Joining | undefined;
  readonly finish: WantedFinishing | undefined;
} {
  const { join: column, pause } = flags;
  if (pause !== undefined && column === undefined) throw usageError('--pause needs --join.');
  return { join: column === undefined ? undefined : { column, pause: pause ?? 0 }, finish: readFinishing(flags) };
}

/** Reads how copies are finished; null in it means that a flag switches off what the config file sets. */
function readFinishing({ loudness, trimSilence, sampleRate, soundFormat }: Flags): WantedFinishing | undefined {
  const finishing = defined({
    loudness: nullIfNone(loudness),
    trimSilence,
    sampleRate: nullIfNone(sampleRate),
    format: nullIfNone(soundFormat),
  });
  const fault = findFinishingFault(effectiveFinishing(finishing) ?? {});
  if (fault?.option === 'sampleRate')
    throw usageError(`--sample-rate ${String(sampleRate)}: expected ${fault.expected}.`);
  return Object.keys(finishing).length === 0 ? undefined : finishing;
}

function nullIfNone<T>(value: T | 'none'): T | null {
  return value === 'none' ? null : value;
}
