import { lipSyncJob, type ApiFields } from '../../client/single/single-job-of.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { RunContext } from '../command-context.ts';
import { giveMedia } from './give-media.ts';
import { runSingle } from './run-single.ts';
import type { SingleFlags } from './single-flags.ts';
import { checkTarget, readTarget, checkStdout, type TargetFlags } from './target.ts';

/** Flags of `lip-sync`. */
export interface LipSyncFlags extends SingleFlags, TargetFlags {
  readonly api?: ApiFields;
}

/** `voxbatch lip-sync VIDEO AUDIO`: makes the mouth of a video move to an audio track, and hands out the video. */
export async function lipSync(
  { video, audio }: { readonly video: string; readonly audio: string },
  flags: LipSyncFlags,
  context: RunContext,
): Promise<ExitName> {
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
