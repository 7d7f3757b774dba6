import { randomUUID } from 'node:crypto';
import type { Draw } from './draw.ts';
import { Refusal } from './refusals.ts';

/** A voice of the simulated service. */
export interface StoredVoice {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly description: string;
  /** True for voices that the account made itself. */
  readonly personal: boolean;
  /** The engines that it works with; undefined for all. */
  readonly engines?: readonly string[];
  /** When its training ends, wall clock, in ms. */
  readonly readyAt: number;
  /** When it was created, wall clock, in ms; undefined for long ago. */
  readonly madeAt?: number;
}

/** The service's engines, by the provider of the voices they support. */
const ENGINES: Readonly<Record<string, readonly string[]>> = {
  fishaudio: ['fishaudio-s21pro-flash', 'fishaudio-s21pro', 'fishaudio-s2pro', 'fishaudio-s1'],
  minimax: ['minimax-2.8-turbo', 'minimax-2.8-hd', 'minimax-2.6-turbo', 'minimax-2.6-hd'],
  qwen: ['qwen3-tts-flash', 'qwen-audio-3.0-tts-plus', 'qwen-audio-3.0-tts-flash'],
};

/** Voices that always exist: ids in the service's formats, and two that are easy to type. */
const SAMPLE_VOICES: readonly StoredVoice[] = [
  { id: 'narrator', name: 'Narrator', provider: 'fishaudio' },
  { id: 'storyteller', name: 'Storyteller', provider: 'minimax' },
  { id: '5b3c1f0e-8a52-4d0b-9d5e-2f6f0a7c4e11', name: 'Ada', provider: 'fishaudio' },
  { id: '0f9d2c7ab4e84c1f9a6e3d5b7c8e1a20', name: 'Lin', provider: 'qwen' },
].map((voice) => ({ ...voice, description: `Sample voice ${voice.name}`, personal: false, readyAt: 0 }));

/** Returns one of the voices that the account has made before. */
function madeBefore(number: number): StoredVoice {
  const name = `Voice ${String(number)}`;
  return {
    id: `voice-${String(number)}`,
    name,
    provider: 'fishaudio',
    description: `${name} of the account`,
    personal: true,
    readyAt: 0,
  };
}

/** Which voices work; see {@link VoiceBook}. */
export const VOICE_RULES = ['any', 'listed'] as const;
/** `any`: every well-formed id works. `listed`: only those of the voice list. */
export type VoiceRule = (typeof VOICE_RULES)[number];

/** A well-formed id that is not marked as nonexistent. */
const SPEAKING_ID = /^(?!missing|unknown|nobody|no-such)[\p{L}\p{N}_.:-]{1,128}$/u;

/**
 * The voices that the account can use. A rehearsal runs the user's own manifest, whose voices the simulator cannot
 * know. With `any`, every well-formed id works with every engine, except ids marked as nonexistent. With `listed`, as
 * in the API, only listed voices work, each with its provider's engines.
 */
export class VoiceBook {
  #byId: Map<string, StoredVoice>;
  readonly #rule: VoiceRule;

  /** `count`: number of the account's existing voices. */
  constructor(rule: VoiceRule = 'any', count = 0) {
    this.#rule = rule;
    this.#byId = new Map(SAMPLE_VOICES.map((voice) => [voice.id, this.#withEngines(voice)]));
    for (let number = 1; number <= count; number++) this.#add(this.#withEngines(madeBefore(number)));
  }

  /** Returns a listed voice. */
  find(id: string): StoredVoice | undefined {
    return this.#byId.get(id);
  }

  /** Deletes some of the account's voices and creates as many, each at the start or end of the list. */
  churn(count: number, draw: Draw): void {
    for (let number = 0; number < count; number++) {
      const all = [...this.#byId.values()];
      const isOwn = ({ personal }: StoredVoice): boolean => personal;
      const gone = all.slice(Math.floor(draw.fraction() * all.length)).find(isOwn) ?? all.find(isOwn);
      if (gone !== undefined) this.#byId.delete(gone.id);
      const made = { ...madeBefore(0), id: randomUUID(), name: 'Made meanwhile' };
      if (draw.coin()) this.#add(made);
      else this.#byId = new Map([[made.id, made], ...this.#byId]);
    }
  }

  #add(voice: StoredVoice): void {
    this.#byId.set(voice.id, voice);
  }

  /** Returns whether a voice works. */
  has(id: string): boolean {
    return this.#byId.has(id) || (this.#rule === 'any' && SPEAKING_ID.test(id));
  }

  /** Returns the listed voices; `provider` and `search` filter them, null for no filter. */
  list(provider: string | null, search: string | null): StoredVoice[] {
    const wanted = search?.toLowerCase() ?? '';
    return [...this.#byId.values()].filter(
      (voice) =>
        (provider === null || voice.provider === provider) &&
        (wanted === '' || `${voice.name} ${voice.description}`.toLowerCase().includes(wanted)),
    );
  }

  /** Creates a voice of the account. `trainingMs`: time until it can be used. */
  create(name: string, description: string, trainingMs = 0): StoredVoice {
    const made = { id: randomUUID(), name, description, provider: 'fishaudio', personal: true };
    const voice = this.#withEngines({ ...made, readyAt: Date.now() + trainingMs, madeAt: Date.now() });
    this.#byId.set(voice.id, voice);
    return voice;
  }

  /** Deletes a voice. Throws a 404 if it does not exist, and a 403 if the account did not make it. */
  delete(id: string): StoredVoice {
    const voice = this.#byId.get(id);
    if (voice === undefined) throw new Refusal(404, 'ERR_VOICE_NOT_FOUND', 'Voice not found');
    if (!voice.personal) throw new Refusal(403, 'ERR_FORBIDDEN', 'This voice belongs to the provider');
    this.#byId.delete(id);
    return voice;
  }

  #withEngines(voice: StoredVoice): StoredVoice {
    const engines = this.#rule === 'listed' ? ENGINES[voice.provider] : undefined;
    return engines === undefined ? voice : { ...voice, engines };
  }
}
