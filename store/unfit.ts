/**
 * What may be wrong with a file that is whole: words that go on after "the result is".
 *
 * - `silent`: there is sound, and all of it is digital silence. - `without sound`: none, or of no length. - `without a picture`: a
 * video that has none. - `of no known kind`: nobody can tell what its bytes are.
 */
export type Unfitness =
  'silent' | 'without sound' | 'without a picture' | 'sound rather than a video' | 'of no known kind';

/** Thrown by a check that finds a file whole and not fit. To be thrown last: a file that is cut is fetched again. */
export class WholeButUnfit extends Error {
  readonly unfit: Unfitness;

  constructor(unfit: Unfitness) {
    super(`The file is whole, but ${unfit}.`);
    this.name = 'WholeButUnfit';
    this.unfit = unfit;
  }
}
