import type { FileWindow } from './containers/file-window.ts';

/**
 * Why a complete file failed a check: a phrase that continues "the result is".
 *
 * - `silent`: there is sound, but all of it is silence: below -50 dB of full scale where that is visible without a
 * decoder.
 * - `clipped throughout`: more than half of its samples are cut off at full scale.
 * - `without sound`: no sound, or sound of no length.
 * - `without a picture`: a video without one.
 * - `sound rather than a video`: audio came where a video was requested.
 * - `of no known kind`: its bytes match no known type.
 * - `of no possible length`: it claims to last longer than {@link MAX_SECONDS}, or states no sample rate.
 * - `unreadable: …`: its check did not finish, which a damaged or malicious file may cause. Nothing more is known about
 * it.
 * - `far too long for its text`, `far too short for its text`: see `policy/verification/speech-pace.ts`.
 */
export type Unfitness =
  | 'silent'
  | 'clipped throughout'
  | 'without sound'
  | 'without a picture'
  | 'sound rather than a video'
  | 'of no known kind'
  | 'of no possible length'
  | `unreadable: ${string}`
  | 'far too long for its text'
  | 'far too short for its text';

/** Max plausible duration of a result, in seconds: a week. */
export const MAX_SECONDS = 604_800;

/** The body was cut off, or is no result at all, such as an error page. Nothing was stored. */
export class UnfitBody extends Error {
  override readonly name = 'UnfitBody';
}

/**
 * Thrown by a check of a container for a complete file that is unfit. Throw it last: a file that is cut off must be
 * fetched again instead. `seconds`: the file's duration, if known.
 */
export class CompleteButUnfit extends Error {
  readonly unfit: Unfitness;
  readonly seconds: number | undefined;

  constructor(unfit: Unfitness, seconds?: number) {
    super(`The file is whole, but ${unfit}.`);
    this.name = 'CompleteButUnfit';
    this.unfit = unfit;
    this.seconds = seconds;
  }
}

/** A media file to check, for the checks in `containers/`. */
export interface Container {
  readonly file: FileWindow;
  /** Its extension, without a dot. */
  readonly extension: string;
  /** What it was requested as. */
  readonly family: 'audio' | 'video';
}

/** Returns the error for a file that ends too early or is damaged. `got`: how, after "but". */
export function incomplete({ extension }: Container, got: string): UnfitBody {
  return new UnfitBody(`Expected a whole ${extension} file, but ${got}.`);
}
