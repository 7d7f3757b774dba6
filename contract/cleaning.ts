/** What is removed of a batch. The bill stays: every request with its price, and how each row ended. */
export interface CleanParts {
  /** The media in the store, and with them the results that later rows could use. */
  readonly media: boolean;
  /** What its rows asked for and the texts that they got. */
  readonly rows: boolean;
}
