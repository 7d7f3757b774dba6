/** The column of a manifest that says who speaks a row, if there is a cast. */
export const CAST_COLUMN = 'speaker';

/** One name of a cast: what the rows that it speaks are sent with, by column. There always is a `voice`. */
export interface CastMember {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Who speaks with which voice. Members are sorted by name, so that equal casts are equal values. */
export interface Cast {
  /** The file that it was read from, for commands and messages. Says nothing about rows. */
  readonly from: string;
  readonly members: readonly CastMember[];
}
