import type { Readable } from 'node:stream';
import { takeResults } from '../../batches/rows/take-results.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ResultFile } from '../../ledger/records.ts';
import { readRange, type ByteRange } from '../../store/local-media/byte-range.ts';
import { familyOf, mediaTypeOf } from '../../store/media-types.ts';
import type { Reader } from '../status/open-reader.ts';

/** Which file of a row to read: the nth one of its current result, or the result of a take. */
export interface RowMediaRequest {
  readonly batch: string;
  /** The row's id. */
  readonly id: string;
  /** Index among the files of the current result. Default: 0, the main file. */
  readonly file?: number;
  /** Default: the current result. */
  readonly take?: number;
}

/** A stored file, and the requested part of it. */
export interface RowMedia {
  readonly file: ResultFile;
  /** MIME type. */
  readonly type: string;
  /** Null if the file does not have the requested bytes; undefined for the whole file. */
  readonly range: ByteRange;
  /** Rejects with code `ENOENT` if the file is lost. */
  open(): Promise<Readable>;
}

/**
 * Finds a file of a row by the row's record, without opening it; undefined if there is none.
 *
 * @param range value of the HTTP header `Range`
 */
export async function rowMedia(
  { ledger, files }: Pick<Reader, 'ledger' | 'files'>,
  request: RowMediaRequest,
  range: string | undefined,
): Promise<RowMedia | undefined> {
  const file = await fileOf(ledger, request);
  if (file == null || file.removedAt !== undefined || file.bytes === 0) return undefined;
  const requested = readRange(range, file.bytes);
  const isText = familyOf(file.extension) === 'text';
  return {
    file,
    type: isText ? 'text/plain; charset=utf-8' : mediaTypeOf(file.extension),
    range: requested,
    open: () => files.read(file.key, requested ?? undefined),
  };
}

async function fileOf(
  ledger: Pick<Ledger, 'findRowById' | 'readRow' | 'takesOf'>,
  { batch, id, file = 0, take }: RowMediaRequest,
): Promise<ResultFile | null | undefined> {
  const row = await ledger.findRowById(batch, id);
  if (row === undefined) return undefined;
  const found = await ledger.readRow(batch, row);
  if (found === undefined) return undefined;
  if (take === undefined) return [found.row.file, ...found.row.extraFiles][file];
  const takes = await ledger.takesOf(batch, row);
  return takeResults({ ...found, takes }).find((one) => one.take === take)?.file;
}
