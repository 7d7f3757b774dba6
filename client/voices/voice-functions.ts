import type { SpeechApi, Voice } from '../../api/speech-api.ts';
import type { SingleJob } from '../../batches/single/single-job.ts';
import { soleDialect } from '../../contract/dialects.ts';
import type { VoiceUser } from '../../ledger/voice-users.ts';
import { realmOf, type OpenApi } from '../open-api.ts';
import { refuseOption } from '../refuse-option.ts';
import type { Session } from '../session.ts';
import type { SingleAnswer, SingleJobOptions } from '../single/single-answer.ts';
import { sayJob, voiceJob, type SpeechWish, type VoiceWish } from '../single/single-job-of.ts';
import { canBeVoice, deleteVoice, voiceToDelete, type Deletion, type VoiceToDelete } from './delete-voice.ts';
import { findVoice, type FoundVoice } from './find-voice.ts';
import { listVoices, type ListWish, type VoiceList } from './list-voices.ts';

/** Options of a preview. */
export type PreviewOptions = SingleJobOptions & Omit<SpeechWish, 'voice'>;
/** Options of a new voice. */
export type CreateVoiceOptions = SingleJobOptions & VoiceWish;

/** A voice and the open batches of this ledger that need it, or why there is none. */
export type ShownVoice =
  | { readonly type: 'found'; readonly voice: Voice; readonly usedBy: readonly VoiceUser[] }
  | Exclude<FoundVoice, { readonly type: 'found' }>;

/** What became of a voice that was to be deleted, or why it is not known which one is meant. */
export type DeletedVoice = Deletion | Exclude<VoiceToDelete, { readonly type: 'meant' }>;

/** The account's voices. `voice`: an id, or `name:` and a name, as in `name:Ada`. All throw {@link VoxbatchError}. */
export interface VoiceFunctions {
  /** All voices that the account can use, from every page of the API's list; free. Default: no filter. */
  listVoices(options?: ListWish): Promise<VoiceList>;
  /** What the API's list says of a voice, and which open batches need it; free. */
  showVoice(voice: string): Promise<ShownVoice>;
  /** Speaks a text with a voice, at its price. It is the same job as {@link Voxbatch.say} with that voice. */
  previewVoice(voice: string, text: string, options?: PreviewOptions): Promise<SingleAnswer>;
  /**
   * Makes a voice from recordings, at its price, and waits for its id: `job.voice` of the answer. The same call again gives
   * it again, and pays for nothing twice. A lost answer is looked for by the name.
   */
  createVoice(name: string, options: CreateVoiceOptions): Promise<SingleAnswer>;
  /**
   * Deletes a voice for good; free. Refused (`in-use`) while an open batch of this ledger needs it. What it has cost is not
   * paid back. It asks nobody; repeating it is safe.
   */
  deleteVoice(voice: string): Promise<DeletedVoice>;
}

/** Makes them. `single`: asks for a single job. */
export function voiceFunctions(
  session: Session,
  single: (job: SingleJob, options: SingleJobOptions) => Promise<SingleAnswer>,
): VoiceFunctions {
  const { config } = session.settings;
  const spoken = ({ api }: OpenApi): SpeechApi => api.speaking(soleDialect(config.apiDialect));
  return {
    listVoices: async (options = {}) => listVoices(spoken(await session.api()), options),
    showVoice: async (asked) => {
      const open = await session.api();
      const found = await findVoice(spoken(open), asked);
      if (found.type !== 'found') return found;
      return { ...found, usedBy: await (await session.ledger()).voiceUsers(realmOf(open), found.voice) };
    },
    previewVoice: (voice, text, options = {}) => single(sayJob(text, { ...options, voice }), options),
    createVoice: (name, options) => single(voiceJob(name, options), options),
    deleteVoice: async (asked) => {
      if (!canBeVoice(asked)) refuseOption('voice', 'an id, or name: and a name', asked);
      const open = await session.api();
      const api = spoken(open);
      const meant = await voiceToDelete(api, asked);
      if (meant.type !== 'meant') return meant;
      const voice = { id: meant.voice?.id ?? asked, name: meant.voice?.name };
      return deleteVoice({ api, account: realmOf(open), ledger: await session.ledger(), voice });
    },
  };
}
