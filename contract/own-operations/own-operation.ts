import type { Tariff } from '../price-units.ts';

/**
 * Operations of the user's own (`operations` in the config file): paid requests of the same HTTP service, or of a
 * gateway, that voxbatch has no built-in support for. Each defines one kind of rows with one step; operation, kind and
 * step share its name in manifests, prices, receipts and the ledger. `own-operation-rules.ts` checks and registers
 * them.
 */

/** A column that an operation reads. */
export interface OwnColumn {
  /** Name of the request field. */
  readonly field: string;
  /**
   * What its cells hold: `text`, unchanged and kept out of messages; a `name`, trimmed; or a `number`. Default: the
   * kind of the built-in column of that name, such as `voice` or `audio`, else `text`.
   */
  readonly cell?: 'text' | 'name' | 'number';
  /** Whether cells may be empty; the request then lacks the field. Default false. */
  readonly optional?: boolean;
}

/** An operation of a user's own; see `docs/guide/own-operations.md`. */
export interface OwnOperation {
  /** At most 40 lower-case letters, digits and dashes. The definition behind a name can never change. */
  readonly name: string;
  /** Path of the paid `POST` with a JSON body, relative to the API's base URL; begins with a slash. */
  readonly path: string;
  /**
   * `job`: the answer names a job, which is polled by `GET path/ID` until it has ended. `direct`: the answer is the
   * media file, or JSON with a link to it.
   */
  readonly answer: 'job' | 'direct';
  readonly result: 'audio' | 'video';
  /**
   * Members of the finished job, or of the JSON answer, that may hold the link. Default: those of the built-in
   * operations, and `url` inside a result object.
   */
  readonly links?: readonly string[];
  /** The columns that the request reads, by manifest column. */
  readonly columns: Readonly<Record<string, OwnColumn>>;
  readonly price: OwnPrice;
}

/**
 * The price of an own operation: per `character` of the column `text`, per started `second` of the longest of the
 * columns `audio` and `video`, per unit of the `number` in a column, or per request (`job`).
 */
export interface OwnPrice extends Tariff {
  /** Only with `number`: the column, which rows must fill with a number from 0 to a billion. */
  readonly column?: string;
}
