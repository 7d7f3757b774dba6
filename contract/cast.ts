/** The column of a manifest that says who speaks a row, if there is a cast. */
export const CAST_COLUMN = 'speaker';

/** A speaker, and the values for its rows by column; `voice` is always set. */
export interface CastMember {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Who speaks with which voice. Members are sorted by name, so that equal casts are equal values. */
export interface Cast {
  /** The file that it was read from, for commands and messages. Does not affect rows. */
  readonly from: string;
  readonly members: readonly CastMember[];
}
