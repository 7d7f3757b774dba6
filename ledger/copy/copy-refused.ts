import type { Difference } from './tally.ts';

/** Why two ledgers cannot be copied from and into. */
export type CopyRefusal =
  | { readonly why: 'same' }
  /** TO has lines already. */
  | { readonly why: 'not-empty'; readonly table: string }
  /** FROM has moved to another place than TO. */
  | { readonly why: 'moved-elsewhere'; readonly to: string }
  /** FROM is itself the unfinished copy of another. */
  | { readonly why: 'from-incoming'; readonly from: string }
  /** TO has itself moved on. */
  | { readonly why: 'to-moved'; readonly to: string }
  /** TO is the unfinished copy of another ledger. */
  | { readonly why: 'to-incoming'; readonly from: string }
  /** FROM is in a database that took the place of the one that was last written, and nobody has accepted that. */
  | { readonly why: 'from-unaccepted' }
  /** FROM has parts that voxbatch has not made. */
  | { readonly why: 'strange'; readonly parts: readonly string[] };

/** A ledger was not copied. Neither side was changed. */
export class CopyRefused extends Error {
  readonly refusal: CopyRefusal;

  constructor(refusal: CopyRefusal) {
    super(`The ledger was not copied (${refusal.why}).`);
    this.name = 'CopyRefused';
    this.refusal = refusal;
  }
}

/** The copy does not add up. Neither side was changed. */
export class CopyDiffers extends Error {
  readonly differences: readonly Difference[];

  constructor(differences: readonly Difference[]) {
    super('The copy of the ledger does not add up.');
    this.name = 'CopyDiffers';
    this.differences = differences;
  }
}
