import type { Difference } from './tally.ts';

/** Why the ledger FROM cannot be copied to TO. */
export type CopyRefusal =
  /** Both are the same ledger. */
  | { readonly why: 'same' }
  /** TO is not empty. */
  | { readonly why: 'not-empty'; readonly table: string }
  /** FROM has moved to another place than TO. */
  | { readonly why: 'moved-elsewhere'; readonly to: string }
  /** FROM is itself the unfinished copy of another. */
  | { readonly why: 'from-incoming'; readonly from: string }
  /** TO is a ledger that has itself been copied, to a third place. */
  | { readonly why: 'to-moved'; readonly to: string }
  /** TO is the unfinished copy of another ledger. */
  | { readonly why: 'to-incoming'; readonly from: string }
  /** FROM is a copy of the database that was last written, and nobody has accepted it. */
  | { readonly why: 'from-unaccepted' }
  /** FROM has tables, triggers or views that voxbatch has not created, or lacks some. */
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

/** The copy differs from the original. Neither side was changed. */
export class CopyDiffers extends Error {
  readonly differences: readonly Difference[];

  constructor(differences: readonly Difference[]) {
    super('The copy of the ledger does not add up.');
    this.name = 'CopyDiffers';
    this.differences = differences;
  }
}
