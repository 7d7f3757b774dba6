/**
 * What `voxbatch clean` removes of a batch. The bill is always kept: every request with its price, and each row's
 * outcome.
 */
export interface CleanParts {
  /** The media in the store, and with them the cached results of the batch. */
  readonly media: boolean;
  /** The inputs of the rows, and their transcripts. */
  readonly rows: boolean;
}
