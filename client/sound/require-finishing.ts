import type { Reading } from '../../contract/batch.ts';
import { findFinishingFault } from '../../contract/finishing.ts';
import { FFMPEG_ADVICE, findFfmpeg, namedFfmpeg, unusableFfmpeg } from '../../store/sound/find-ffmpeg.ts';
import { tryFinishing } from '../../store/sound/finish/finish-sound.ts';
import { VoxbatchError, refuseOption } from '../problem.ts';

/** The option's name for messages, as in the library and on the command line. */
const OPTION = 'finish (--loudness, --trim-silence, --sample-rate, --sound-format)';

/**
 * Checks, before anything is spent, that finishing of sound has a valid combination of options and that this machine's
 * ffmpeg can do it. Throws {@link VoxbatchError} (`bad-option`).
 *
 * @param env where `findFfmpeg` looks
 */
export async function requireFinishing({ finish }: Pick<Reading, 'finish'>, env: NodeJS.ProcessEnv): Promise<void> {
  if (finish === undefined) return;
  // An option and the configuration may each be valid, but not their combination.
  const fault = findFinishingFault(finish);
  if (fault !== undefined) refuseOption(`finish.${fault.option}`, fault.expected, finish[fault.option]);
  const program = await findFfmpeg(env);
  if (program === undefined) {
    // The text becomes the end of a sentence, which adds its own period.
    refuse('ffmpeg on this machine', `none. ${ffmpegAdvice(namedFfmpeg(env)).replace(/\.$/u, '')}`);
  }
  const why = await tryFinishing(finish, program);
  if (why !== undefined) refuse('an ffmpeg that can do this', `${program}, which cannot: ${why.replace(/\.$/u, '')}`);
}

function refuse(expected: string, got: string): never {
  throw new VoxbatchError({ type: 'bad-option', option: OPTION, expected, got });
}

/**
 * Advises what to do without ffmpeg. `named`: the path in `VOXBATCH_FFMPEG`, where no program is; undefined if unset.
 */
export function ffmpegAdvice(named?: string): string {
  return named === undefined ? FFMPEG_ADVICE : unusableFfmpeg(named);
}
