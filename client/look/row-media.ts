import type { Readable } from 'node:stream';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ResultFile } from '../../ledger/record-types.ts';
import { readRange, type ByteRange } from '../../store/local-media/byte-range.ts';
import { familyOf, mediaTypeOf } from '../../store/local-media/media-types.ts';
import type { Reader } from './open-reader.ts';

/** Which file of a row: the nth of its result, or that of an earlier take, which a later one has replaced. */
export interface RowMediaRequest {
  readonly batch: string;
  /** The row's id. */
  readonly id: string;
  readonly file?: number;
  /** The take that replaced it. */
  readonly replacedBy?: number;
}

/** A stored file, and the part of it that was asked for. */
export interface RowMedia {
  readonly file: ResultFile;
  readonly type: string;
  /** Null: there are no such bytes. Undefined: all of it. */
  readonly range: ByteRange;
  /** Rejects with code `ENOENT` if the file is lost. */
  open(): Promise<Readable>;
}

/** A file of a row, by the record of the row alone; undefined if there is none. `range`: a header `Range`. */
export async function rowMedia(
  { ledger, files }: Pick<Reader, 'ledger' | 'files'>,
  request: RowMediaRequest,
  range: string | undefined,
): Promise<RowMedia | undefined> {
  const file = await fileOf(ledger, request);
  if (file == null || file.removedAt !== undefined || file.bytes === 0) return undefined;
  const asked = readRange(range, file.bytes);
  const isText = familyOf(file.extension) === 'text';
  return {
    file,
    type: isText ? 'text/plain; charset=utf-8' : mediaTypeOf(file.extension),
    range: asked,
    open: () => files.read(file.key, asked ?? undefined),
  };
}

async function fileOf(
  ledger: Pick<Ledger, 'findRowById' | 'readRow' | 'takesOf'>,
  { batch, id, file = 0, replacedBy }: RowMediaRequest,
): Promise<ResultFile | null | undefined> {
  const row = await ledger.findRowById(batch, id);
  if (row === undefined) return undefined;
  if (replacedBy !== undefined)
    return (await ledger.takesOf(batch, row)).find(({ take }) => take === replacedBy)?.before.file;
  const found = (await ledger.readRow(batch, row))?.row;
  return [found?.file, ...(found?.extraFiles ?? [])][file];
}
