/** The parts of a batch to remove. Its bill stays: every request with its price, and each row's outcome. */
export interface CleanParts {
  /** The media in the store, and with them the results that later rows could use. */
  readonly media: boolean;
  /** The rows' inputs and the texts they got back. */
  readonly rows: boolean;
}
