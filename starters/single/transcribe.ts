import { transcribeJob, type ApiFields } from '../../client/single/single-job-of.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { RunContext } from '../command-context.ts';
import { checkForm, giveText } from './give-text.ts';
import { runSingle } from './run-single.ts';
import type { SingleFlags } from './single-flags.ts';
import { checkTarget, readTarget, type Target, type TargetFlags } from './target.ts';

/** Flags of `transcribe`. */
export interface TranscribeFlags extends SingleFlags, TargetFlags {
  readonly language?: string;
  readonly api?: ApiFields;
}

/** `voxbatch transcribe AUDIO`: prints what is said in a recording, or writes it to a file. */
export async function transcribe(audio: string, flags: TranscribeFlags, context: RunContext): Promise<ExitName> {
  const { out, language, api = {}, force = false } = flags;
  const target: Target = out === undefined ? { type: 'stdout' } : await readTarget(flags);
  checkForm(target);
  return runSingle({
    job: transcribeJob(audio, { language, api }),
    flags,
    context,
    ready: () => checkTarget(target, flags),
    give: (record, place) => giveText(record, target, { force }, place),
  });
}
