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
const MOST_VOICES = 1_000;

/** The speaking paces of the voices heard by this process. */
export class SpeechPaces {
  /** In order of use, the latest last. */
  readonly #known = new Map<string, KnownPaces>();

  /** Judges the length of a result by those before it, and learns it. */
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
    const oldest = this.#known.size > MOST_VOICES ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
