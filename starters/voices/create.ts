import { voiceJob } from '../../client/single/build-single-job.ts';
import { VoxbatchError } from '../../client/problem.ts';
import type { SingleRecord } from '../../client/single/find-single.ts';
import { isVoiceGone } from '../../client/voices/find-voice.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { RunContext } from '../terminal/output.ts';
import type { Flags } from '../commands/flags.ts';
import { dialectFor } from './look.ts';
import { readApiAccess, readSettings } from '../connect/settings.ts';
import { ExitError, usageError } from '../exit-error.ts';
import type { Delivered, DeliveryContext } from '../single/deliver.ts';
import { runSingle } from '../single/run-single.ts';
import { oneLine } from '../terminal/table.ts';

/** `voxbatch voices create NAME --sample FILE…`: makes a voice from recordings, and prints its id. Paid. */
export async function createVoice(operand: string | undefined, flags: Flags, context: RunContext): Promise<ExitName> {
  // `--sample` is another name of `--audio`.
  const { audio: samples = [], transcript, description, visibility, language, api } = flags;
  const name = nameOf(operand, flags);
  if (samples.length === 0) throw usageError('A voice is made from recordings: name at least one with --sample FILE.');
  return runSingle({
    job: voiceJob(name, { samples, transcript, description, visibility, language, api }),
    flags,
    context,
    // Only an id is printed, so no file can be in the way.
    prepare: () => Promise.resolve(),
    deliver: (record, delivery) => printVoice(record, flags, delivery),
  });
}

/** Returns the voice's name: the operand or `--name`. Throws {@link ExitError} `usage`. */
function nameOf(operand: string | undefined, { name, audio = [] }: Flags): string {
  if (operand !== undefined && name !== undefined)
    throw usageError('The name is given twice: before the flags and by --name.');
  const chosen = operand ?? name ?? '';
  const last = audio.at(-1);
  // `--sample` takes several values, so a name that follows it counts as one more recording.
  const taken = last === undefined ? '' : ` "${last}" was taken for a recording.`;
  if (chosen.trim() === '')
    throw usageError(`A voice needs a name: voxbatch voices create NAME --sample FILE.${taken}`);
  return chosen;
}

/** Prints the voice's id. Warns if nothing was sent, because it was made earlier (`isOld`), and it is gone since. */
async function printVoice(
  { batch, row }: SingleRecord,
  flags: Flags,
  { output, isOld, json }: DeliveryContext,
): Promise<Delivered> {
  const id = row.text;
  if (id === null) throw new Error(`Batch "${batch.name}" made a voice without an id.`);
  if (!json) output.data(oneLine(id));
  if (isOld && (await isMissing(id, flags))) {
    output.say(
      "warning: The API's list does not have this voice any more. To make it again, at its price: the same command with --again.",
    );
  }
  return { exit: 'complete', file: null };
}

/** Whether the API's list lacks the voice; false if the API cannot be asked. Free. */
async function isMissing(id: string, flags: Flags): Promise<boolean> {
  try {
    const settings = await readSettings();
    return await isVoiceGone(readApiAccess(settings, flags), id, dialectFor(flags, settings.config));
  } catch (error) {
    // The id is printed even without a token or while the API is down.
    if (error instanceof ExitError || error instanceof VoxbatchError) return false;
    throw error;
  }
}
