import {
  hasPace,
  judgePace,
  learnPace,
  NO_PACES,
  paceKeyOf,
  paceOf,
  type KnownPaces,
  type OddPace,
  type PacedSpeech,
} from '../../policy/verification/speech-pace.ts';

/** Max speech settings (a voice with its other parameters) whose paces are kept. A column may differ in every row. */
const MAX_VOICES = 1_000;

/** Learns the usual speaking pace of each voice from the results that this process downloads. */
export class SpeechPaces {
  /** In order of use, the latest last. */
  readonly #known = new Map<string, KnownPaces>();

  /** Judges the duration of a result by earlier ones of its voice, and learns from it. Undefined if nothing is odd. */
  judge(spec: PacedSpeech, seconds: number): OddPace | undefined {
    if (seconds <= 0 || !hasPace(spec)) return undefined;
    const key = paceKeyOf(spec);
    const known = this.#known.get(key) ?? NO_PACES;
    const pace = paceOf(spec, seconds);
    this.#keep(key, learnPace(known, pace));
    return judgePace(known.usual, pace);
  }

  #keep(key: string, known: KnownPaces): void {
    this.#known.delete(key);
    this.#known.set(key, known);
    const oldest = this.#known.size > MAX_VOICES ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
