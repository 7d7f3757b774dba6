import type { Reading } from '../../contract/batch.ts';
import { findFinishingFault } from '../../contract/finishing.ts';
import { FFMPEG_ADVICE, findFfmpeg, namedFfmpeg, unusableFfmpeg } from '../../store/sound/find-ffmpeg.ts';
import { tryFinishing } from '../../store/sound/finish/finish-sound.ts';
import { VoxbatchError, refuseOption } from '../problem.ts';

const OPTION = 'finish (--loudness, --trim-silence, --sample-rate, --sound-format)';

/**
 * Refuses to finish sound in a way that cannot be, or that the ffmpeg of this machine cannot, before anything is spent.
 * Throws {@link VoxbatchError} (`bad-option`).
 *
 * @param env where `findFfmpeg` looks
 */
export async function requireFinishing({ finish }: Pick<Reading, 'finish'>, env: NodeJS.ProcessEnv): Promise<void> {
  if (finish === undefined) return;
  // Each of an option and the configuration may be well, and both together not.
  const fault = findFinishingFault(finish);
  if (fault !== undefined) refuseOption(`finish.${fault.option}`, fault.expected, finish[fault.option]);
  const program = await findFfmpeg(env);
  if (program === undefined) {
    // It ends a sentence that has its own period.
    refuse('ffmpeg on this machine', `none. ${ffmpegAdvice(namedFfmpeg(env)).replace(/\.$/u, '')}`);
  }
  const why = await tryFinishing(finish, program);
  if (why !== undefined) refuse('an ffmpeg that can do this', `${program}, which cannot: ${why.replace(/\.$/u, '')}`);
}

function refuse(expected: string, got: string): never {
  throw new VoxbatchError({ type: 'bad-option', option: OPTION, expected, got });
}

/**
 * What to do where there is no ffmpeg. `named`: the path that `VOXBATCH_FFMPEG` names, where no program is; undefined:
 * it is not set.
 */
export function ffmpegAdvice(named?: string): string {
  return named === undefined ? FFMPEG_ADVICE : unusableFfmpeg(named);
}
