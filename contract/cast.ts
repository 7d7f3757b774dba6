/** The manifest column with the speaker of a row. It is read only with a cast (`--cast`). */
export const CAST_COLUMN = 'speaker';

/** A speaker, and the cells of its rows by column name; `voice` is always among them. */
export interface CastMember {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}

/** A cast file: which speaker has which voice. Members are sorted by name, so that equal casts compare equal. */
export interface Cast {
  /** The file that it was read from, for commands and messages. Does not affect rows. */
  readonly from: string;
  readonly members: readonly CastMember[];
}
