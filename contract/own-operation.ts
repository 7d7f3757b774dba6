import type { Tariff } from './price-units.ts';

/**
 * Operations of a user's own: a paid request of the same HTTP service (or of a gateway before several) that voxbatch
 * does not come with. Each has one kind of rows, which have one step. All three bear its name, and so it stands in
 * manifests, prices, receipts and the ledger. They come to the tables of `operations.ts` by `add-operations.ts`: in
 * each process and thread once, before the first row is read, and for good.
 */

/** A column that an operation reads. */
export interface OwnColumn {
  /** What the request calls it. */
  readonly field: string;
  /**
   * What its cells hold: `text` as it is (private, like all texts), a `name` without white space around it, or a
   * `number`. For a column that voxbatch has, such as `voice` or `audio`, leave it out: its cells hold what they always
   * do. Default `text`.
   */
  readonly cell?: 'text' | 'name' | 'number';
  /** Whether rows may leave it empty; the request then lacks the field. Default false. */
  readonly optional?: boolean;
}

/** An operation of a user's own; see `docs/guide/own-operations.md`. */
export interface OwnOperation {
  /** Small letters, digits and dashes, at most 40. The same name means the same operation for good. */
  readonly name: string;
  /** Path of the paid `POST`, relative to where the paths of the API begin, with a slash first. Its body is JSON. */
  readonly path: string;
  /**
   * `job`: the answer names a job, which is read by `GET path/ID` until it has ended, as the jobs of the API are.
   * `direct`: the answer is the media, or JSON with a link to it.
   */
  readonly answer: 'job' | 'direct';
  readonly result: 'audio' | 'video';
  /**
   * Members of the finished job, or of the JSON answer, that may hold the link. Default: those that the API has, and
   * inside a result object also `url`.
   */
  readonly links?: readonly string[];
  /** The columns that the request reads, by their name in the manifest. */
  readonly columns: Readonly<Record<string, OwnColumn>>;
  /**
   * What it costs. By `character`: of the column `text`. By `second`: of the longest of the columns `audio` and
   * `video`. By `job`: each request.
   */
  readonly price: Tariff;
}
