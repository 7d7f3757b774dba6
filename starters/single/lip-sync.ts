import type { ExitName } from '../../contract/exit-codes.ts';
import type { JsonValue } from '../../contract/row-kinds.ts';
import type { RunContext } from '../command-context.ts';
import { giveMedia } from './give-media.ts';
import { runSingle } from './run-single.ts';
import type { SingleFlags } from './single-flags.ts';
import { checkTarget, readTarget, checkStdout, type TargetFlags } from './target.ts';

/** Flags of `lip-sync`. */
export interface LipSyncFlags extends SingleFlags, TargetFlags {
  /** `api.<field>` columns. */
  readonly api?: Readonly<Record<string, JsonValue>>;
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
    job: { command: 'lip-sync', kind: 'lip-sync', cells: { video, audio, ...api } },
    flags,
    context,
    ready: () => checkTarget(target, flags),
    give: (record, place) => giveMedia(record, target, { force }, place),
  });
}
