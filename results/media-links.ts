import { join } from 'node:path';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';
import { defined } from '../contract/defined.ts';
import { DEFAULT_TABLE_FORMAT } from '../contract/table-format.ts';
import type { StoreUrls, UrlLimit } from '../store/store.ts';
import { csvLine } from './line-formats.ts';
import { namedFilesOf } from './result-line.ts';
import { AtomicFile } from './atomic-file.ts';

/** Name of the table of URLs in the out folder. */
const LINKS_FILE = 'media-links.csv';

/** Columns of that table. `_file`: the path below an out folder, as in `results.csv`. */
const COLUMNS = ['id', '_row', '_file', '_url', '_expires'];

/** Which URLs to write. */
export interface LinksRequest {
  readonly ledger: Pick<Ledger, 'scanRows'>;
  readonly batch: BatchRecord;
  readonly urls: Pick<StoreUrls, 'presign'>;
  /** An existing folder. */
  readonly out: string;
  /** How long the URLs are valid, ms. */
  readonly lifetimeMs: number;
}

/** What was written. */
export interface WrittenLinks {
  /** Absolute path of the table. */
  readonly file: string;
  /** Number of URLs. */
  readonly links: number;
  /** When the first URL expires. */
  readonly until: Date;
  /** Why URLs may expire sooner than requested; omitted if they do not. */
  readonly limit?: UrlLimit;
}

/**
 * Writes a table of presigned URLs of all files of a batch, atomically. The URLs are not in `results.csv`, because they
 * differ each time, and that file must come out the same however often it is made.
 */
export async function writeMediaLinks({ ledger, batch, urls, out, lifetimeMs }: LinksRequest): Promise<WrittenLinks> {
  const { delimiter, bom } = batch.settings.table ?? DEFAULT_TABLE_FORMAT;
  const file = await AtomicFile.create(join(out, LINKS_FILE));
  let until = Date.now() + lifetimeMs;
  let limit: UrlLimit | undefined;
  let links = 0;
  try {
    await file.write((bom ? '\uFEFF' : '') + csvLine(COLUMNS, delimiter));
    for await (const { row } of ledger.scanRows(batch.name)) {
      for (const { name, file: stored } of namedFilesOf(row, batch)) {
        const signed = await urls.presign(stored.key, lifetimeMs);
        const expires = Date.now() + signed.livesMs;
        await file.write(csvLine([row.id, row.row, name, signed.url, new Date(expires).toISOString()], delimiter));
        until = Math.min(until, expires);
        limit ??= signed.limit;
        links++;
      }
    }
    await file.seal();
    await file.publish();
  } finally {
    await file.abandon();
  }
  return { file: file.path, links, until: new Date(until), ...defined({ limit }) };
}
