/** How loud a file is, and where it is silent. Shares are 0 to 1, times are in seconds, to the millisecond. */
export interface Levels {
  readonly seconds: number;
  /** Samples a second, of each channel. */
  readonly sampleRate: number;
  readonly channels: number;
  /** Highest sample: 1 is full scale. Null if the file was not decoded. */
  readonly peak: number | null;
  /** Root mean square of all samples: 1 is full scale. Null if the file was not decoded. */
  readonly rms: number | null;
  /** Part of the time that is silent. */
  readonly silentShare: number;
  readonly longestSilence: number;
  readonly leadingSilence: number;
  readonly trailingSilence: number;
  /** Part of all samples that is cut off at full scale. Null if the file was not decoded. */
  readonly clippedShare: number | null;
}

/** What is known of a file's sound. `unread`: nothing, which is never a fault of the file. */
export type Hearing =
  { readonly type: 'read'; readonly levels: Levels } | { readonly type: 'unread'; readonly why: string };

/** Sound below this root mean square counts as silence: -50 dB of full scale, well below the softest speech. */
export const SILENCE_RMS = 10 ** (-50 / 20);

/** Where a file is silent, from moments in order. */
export class Silences {
  #seconds = 0;
  #silent = 0;
  #longest = 0;
  #current = 0;
  #leading: number | undefined;

  get hasSound(): boolean {
    return this.#leading !== undefined;
  }

  add(seconds: number, isSilent: boolean): void {
    this.#seconds += seconds;
    if (!isSilent) {
      this.#leading ??= this.#current;
      this.#current = 0;
      return;
    }
    this.#silent += seconds;
    this.#current += seconds;
    this.#longest = Math.max(this.#longest, this.#current);
  }

  end(): Pick<Levels, 'seconds' | 'silentShare' | 'longestSilence' | 'leadingSilence' | 'trailingSilence'> {
    return {
      seconds: toMilliseconds(this.#seconds),
      silentShare: this.#seconds === 0 ? 0 : this.#silent / this.#seconds,
      longestSilence: toMilliseconds(this.#longest),
      leadingSilence: toMilliseconds(this.#leading ?? this.#current),
      trailingSilence: toMilliseconds(this.#current),
    };
  }
}

/** Sums of many moments are a little off. */
function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000;
}
