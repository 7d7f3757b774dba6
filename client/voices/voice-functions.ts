import type { SingleJob } from '../../batches/single/single-job.ts';
import { refuseOption } from '../problem.ts';
import type { Session } from '../session.ts';
import type { SingleAnswer, SingleJobOptions } from '../single/single-answer.ts';
import { voiceJob, type VoiceOptions } from '../single/build-single-job.ts';
import { canBeVoice, deleteNamed, type DeletedVoice } from './delete-voice.ts';
import { listVoices, showVoice, speakingApi, type ListWish, type ShownVoice, type VoiceList } from './find-voice.ts';

/** Options of a new voice. */
export type CreateVoiceOptions = SingleJobOptions & VoiceOptions;

/** The account's voices. `voice`: an id, or `name:` and a name, as in `name:Ada`. All throw {@link VoxbatchError}. */
export interface VoiceFunctions {
  /** All voices that the account can use, from every page of the API's list; free. Default: no filter. */
  listVoices(options?: ListWish): Promise<VoiceList>;
  /** What the API's list says of a voice, and which open batches need it; free. */
  showVoice(voice: string): Promise<ShownVoice>;
  /**
   * Creates a voice from recordings, at its price, and waits for its id, `job.voice` in the answer. Repeating the call
   * returns the same voice and charges nothing twice. After a lost answer, the voice is looked up by its name.
   */
  createVoice(name: string, options: CreateVoiceOptions): Promise<SingleAnswer>;
  /**
   * Deletes a voice for good; free. Refused (`in-use`) while an open batch of this ledger needs it. Its cost is not
   * refunded. Asks for no confirmation; safe to repeat.
   */
  deleteVoice(voice: string): Promise<DeletedVoice>;
}

/** Creates the functions. `single`: runs a single job, at its price, and waits for its end. */
export function voiceFunctions(
  session: Session,
  single: (job: SingleJob, options: SingleJobOptions) => Promise<SingleAnswer>,
): VoiceFunctions {
  return {
    listVoices: async (options = {}) => listVoices(await speakingApi(session), options),
    showVoice: (idOrName) => showVoice(session, idOrName),
    createVoice: (name, options) => single(voiceJob(name, options), options),
    deleteVoice: async (idOrName) => {
      if (!canBeVoice(idOrName)) refuseOption('voice', 'an id, or name: and a name', idOrName);
      return deleteNamed(session, idOrName);
    },
  };
}
