import { join } from 'node:path';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { PLAIN_TABLE } from '../contract/table-format.ts';
import type { StoreUrls } from '../store/store.ts';
import { csvLine } from './line-formats.ts';
import { namedFilesOf } from './result-line.ts';
import { WholeFile } from './whole-file.ts';

/** Name of the table of URLs in the out folder. */
const LINKS_FILE = 'media-links.csv';

/** Its columns. `_file`: the path that the file has in an out folder, as in `results.csv`. */
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
  readonly path: string;
  readonly links: number;
  /** When the first URL ends. */
  readonly until: Date;
}

/**
 * Writes a table of presigned URLs of all files of a batch. It is a file of its own, because URLs differ each time, and
 * `results.csv` comes out the same however often it is made. The file is whole or absent.
 */
export async function writeMediaLinks({ ledger, batch, urls, out, lifetimeMs }: LinksRequest): Promise<WrittenLinks> {
  const { delimiter, bom } = batch.settings.table ?? PLAIN_TABLE;
  const file = await WholeFile.create(join(out, LINKS_FILE));
  const until = new Date(Date.now() + lifetimeMs);
  let links = 0;
  try {
    await file.write((bom ? '\uFEFF' : '') + csvLine(COLUMNS, delimiter));
    for await (const { row } of ledger.scanRows(batch.name)) {
      for (const { name, file: stored } of namedFilesOf(row, batch)) {
        const expires = new Date(Date.now() + lifetimeMs).toISOString();
        await file.write(
          csvLine([row.id, row.row, name, await urls.presign(stored.key, lifetimeMs), expires], delimiter),
        );
        links++;
      }
    }
    await file.seal();
    await file.publish();
  } finally {
    await file.abandon();
  }
  return { path: file.path, links, until };
}
