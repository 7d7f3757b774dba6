import { sayJob } from '../../client/single/single-job-of.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { RunContext } from '../command-context.ts';
import type { Flags } from '../commands/flags.ts';
import { verifyCell } from '../run/run-options.ts';
import { usageError } from '../exit-error.ts';
import { giveMedia } from './give-media.ts';
import { readText } from './read-text.ts';
import { runSingle } from './run-single.ts';
import { checkTarget, extensionOf, readTarget, checkStdout, type Target } from './target.ts';

/**
 * `voxbatch say TEXT`: speaks a text, and hands out the file. `typed`: the command, if it is another one that does the
 * same; the same text with the same voice is the same job.
 */
export async function say(given: string, flags: Flags, context: RunContext, typed = 'say'): Promise<ExitName> {
  const target = await readTarget(flags);
  checkStdout(target, flags);
  const readsStdin = given === '-';
  const text = readsStdin ? await readText(process.stdin) : given;
  const { voice, engine, speed, language, verify, tts = 'job', split, api = {}, force = false } = flags;
  const format = formatOf(flags, target);
  const wish = { voice, engine, format, speed, language, verify: verifyCell(verify), tts, api };
  return runSingle({
    job: { ...sayJob(text, wish), typed, ...defined({ split }) },
    flags,
    context,
    readsStdin,
    ready: () => checkTarget(target, flags),
    give: (record, place) => giveMedia(record, target, { force }, place),
  });
}

/** `voxbatch voices preview VOICE TEXT`: the same for a voice. */
export function preview(voice: string, text: string, flags: Flags, context: RunContext): Promise<ExitName> {
  return say(text, { ...flags, voice }, context, 'voices preview');
}

/** Formats that are also the extension of their files. */
const FORMATS = ['mp3', 'wav', 'pcm', 'ogg', 'opus', 'flac', 'aac', 'm4a'];

/**
 * The format that is asked for: that of the file's name, if none is given. The default of the API is not named, so that
 * the same text with and without `-o` is one job.
 */
function formatOf({ format }: Flags, target: Target): string | undefined {
  const named = extensionOf(target);
  if (!FORMATS.includes(named) || named === format) return format;
  if (format === undefined) return named === 'mp3' ? undefined : named;
  throw usageError(`-o ends in .${named}, and --format says ${format}. Make them the same.`);
}
