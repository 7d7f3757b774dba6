import type { Reading } from '../contract/batch.ts';
import { findFfmpeg, FFMPEG_ADVICE } from '../store/sound/find-ffmpeg.ts';
import { VoxbatchError } from './problem.ts';

/**
 * Refuses to finish sound where there is no ffmpeg, before anything is spent. Throws {@link VoxbatchError}
 * (`bad-option`).
 *
 * @param env where `findFfmpeg` looks
 */
export async function requireFfmpeg({ finish }: Pick<Reading, 'finish'>, env: NodeJS.ProcessEnv): Promise<void> {
  if (finish === undefined || (await findFfmpeg(env)) !== undefined) return;
  throw new VoxbatchError({
    type: 'bad-option',
    option: 'finish (--loudness, --trim-silence, --sample-rate, --sound-format)',
    expected: 'ffmpeg on this machine',
    // It ends a sentence that has its own period.
    came: `none. ${FFMPEG_ADVICE.replace(/\.$/u, '')}`,
  });
}
