/**
 * Why a whole file did not pass: words that continue "the result is".
 *
 * - `silent`: there is sound, but all of it is silence: below -50 dB of full scale where that is visible without a decoder.
 * - `clipped throughout`: more than half of its samples are cut off at full scale.
 * - `without sound`: no sound, or sound of no length.
 * - `without a picture`: a video without one.
 * - `of no known kind`: its bytes match no known type.
 * - `far too long for its text`, `far too short for its text`: see `policy/speech-pace.ts`.
 */
export type Unfitness =
  | 'silent'
  | 'clipped throughout'
  | 'without sound'
  | 'without a picture'
  | 'sound rather than a video'
  | 'of no known kind'
  | 'far too long for its text'
  | 'far too short for its text';

/**
 * Thrown by a check that finds a file whole but unfit. Throw it last: a file that is cut off must be fetched again
 * instead. `seconds`: how long it plays all the same.
 */
export class WholeButUnfit extends Error {
  readonly unfit: Unfitness;
  readonly seconds: number | undefined;

  constructor(unfit: Unfitness, seconds?: number) {
    super(`The file is whole, but ${unfit}.`);
    this.name = 'WholeButUnfit';
    this.unfit = unfit;
    this.seconds = seconds;
  }
}
