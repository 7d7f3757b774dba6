import { transcribeJob } from '../../client/single/single-job-of.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { RunContext } from '../command-context.ts';
import { checkForm, giveText } from './give-text.ts';
import { runSingle } from './run-single.ts';
import type { Flags } from '../commands/flags.ts';
import { checkTarget, readTarget, type Target } from './target.ts';

/** `voxbatch transcribe AUDIO`: prints what is said in a recording, or writes it to a file. */
export async function transcribe(audio: string, flags: Flags, context: RunContext): Promise<ExitName> {
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
