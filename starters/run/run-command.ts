import { defined } from '../../contract/defined.ts';
import { fileWord, shellWord } from '../../contract/shell-word.ts';
import type { ReportOptions } from './report-problems.ts';
import { flagOf } from '../terminal/tunable-words.ts';
import type { Flags } from '../commands/flags.ts';

/** Flags of `run` for how it works. */
const NOT_OF_PLAN = { webhook: undefined, webhookPort: undefined, webhookHost: undefined, webhookRestore: undefined };

/** Value of a flag; `true` if it takes none. */
type Given = string | number | boolean | readonly string[] | undefined;

/**
 * `voxbatch run|plan MANIFEST` with the given flags, for a shell. A manifest that came through a pipe gets `< FILE`.
 * Flags at their default are left out, and so is `--json`.
 */
export function manifestCommand(command: 'run' | 'plan', manifest: string, flags: Flags): string {
  const given: Readonly<Record<string, Given>> = {
    ...flags,
    api: undefined,
    json: undefined,
    dryRun: undefined,
    quiet: undefined,
    verbose: undefined,
    tts: flags.tts === 'job' ? undefined : flags.tts,
    cache: flags.cache === false ? 'off' : flags.cache,
    noTrimSilence: flags.trimSilence === false,
    // The path of an address is a secret, and what is printed ends in logs.
    webhookRestore: flags.webhookRestore === undefined ? undefined : 'URL',
    ...(command === 'plan' ? NOT_OF_PLAN : {}),
  };
  const words = Object.entries(given).flatMap(([name, value]) => {
    const flag = flagOf(name);
    if (value === undefined || value === false) return [];
    return value === true ? [flag] : [value].flat().flatMap((one) => [flag, String(one)]);
  });
  const isPiped = manifest === '-';
  const file = isPiped ? manifest : fileWord(manifest);
  return ['voxbatch', command, file, ...words.map(shellWord)].join(' ') + (isPiped ? ' < FILE' : '');
}

/** How to report a manifest's problems, so that the next command has the flags of this one. */
export function reportOptions(manifest: string, flags: Flags): ReportOptions {
  const { fileName: template } = flags;
  return {
    command: manifestCommand('plan', manifest, { ...flags, resubmit: false, detach: false, yes: false }),
    ...defined({ template }),
  };
}
