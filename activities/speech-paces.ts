import { hasPace, judgePace, paceKeyOf, paceOf, type OddPace, type PacedSpeech } from '../policy/speech-pace.ts';

/** Results that are kept for a voice. */
const MOST_KNOWN = 200;

/** How long the voices take that this process has heard. */
export class SpeechPaces {
  readonly #known = new Map<string, readonly number[]>();

  /** Judges the length of a result by those before it. Learns it, unless it is odd. */
  judge(spec: PacedSpeech, seconds: number): OddPace | undefined {
    if (seconds <= 0 || !hasPace(spec)) return undefined;
    const key = paceKeyOf(spec);
    const known = this.#known.get(key) ?? [];
    const pace = paceOf(spec, seconds);
    const odd = judgePace(known, pace);
    if (odd === undefined) this.#known.set(key, [...known, pace].slice(-MOST_KNOWN));
    return odd;
  }
}
