import { lipSyncJob } from '../../client/single/single-job-of.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { RunContext } from '../command-context.ts';
import { giveMedia } from './give-media.ts';
import { runSingle } from './run-single.ts';
import type { Flags } from '../commands/flags.ts';
import { checkTarget, readTarget, checkStdout } from './target.ts';

/** `voxbatch lip-sync VIDEO AUDIO`: makes the mouth of a video move to an audio track, and hands out the video. */
export async function lipSync(video: string, audio: string, flags: Flags, context: RunContext): Promise<ExitName> {
  const target = await readTarget(flags);
  checkStdout(target, flags);
  const { api = {}, force = false } = flags;
  return runSingle({
    job: lipSyncJob({ video, audio }, { api }),
    flags,
    context,
    ready: () => checkTarget(target, flags),
    give: (record, place) => giveMedia(record, target, { force }, place),
  });
}
