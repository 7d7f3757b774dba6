import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { makesFile } from '../../contract/row-kinds.ts';

/** A line of `results.jsonl`, as far as checks read it. */
export interface ResultRow {
  readonly id: string;
  readonly _row: number;
  readonly _kind: string;
  readonly _outcome: string;
  readonly _file: string;
  /** A transcript, or the id of a voice. */
  readonly _text: string;
  readonly _credits: number;
  readonly _credits_kind: string;
  readonly _job_ids: readonly string[];
}

/** A line of `receipts.jsonl`, as far as checks read it. */
export interface ReceiptLine {
  readonly row: number;
  readonly step: string;
  readonly take: number;
  readonly attempt: number;
  readonly verdict: string;
  readonly intent_at: string;
  readonly verdict_at: string | null;
  readonly file: StoredAs | null;
  readonly extra_files: readonly StoredAs[];
}

interface StoredAs {
  readonly name: string | null;
  readonly bytes: number;
  readonly sha256: string;
}

/** What a batch wrote, read from its files alone. */
export interface BatchFiles {
  readonly name: string;
  readonly out: string;
  /** Ids of the manifest, in order. */
  readonly manifestIds: readonly string[];
  /** Ids of `results.csv`, in order. */
  readonly csvIds: readonly string[];
  readonly results: readonly ResultRow[];
  readonly receipts: readonly ReceiptLine[];
}

/** `manifest`: path of what it was made of. */
export async function readBatchFiles(
  folder: string,
  name: string,
  manifest = join(folder, `${name}.csv`),
): Promise<BatchFiles> {
  const out = join(folder, 'out', name);
  const [given, results, lines, receipts] = await Promise.all([
    readFile(manifest, 'utf8'),
    readFile(join(out, 'results.csv'), 'utf8'),
    readFile(join(out, 'results.jsonl'), 'utf8'),
    readFile(join(out, 'receipts.jsonl'), 'utf8'),
  ]);
  return {
    name,
    out,
    manifestIds: idsOf(given),
    csvIds: idsOf(results),
    results: linesOf<ResultRow>(lines),
    receipts: linesOf<ReceiptLine>(receipts),
  };
}

/** What is wrong with the files of rows that succeeded: missing, of another length, or with another hash than the receipt's. */
export async function findSpoiltFiles(batch: BatchFiles): Promise<string[]> {
  const wrong: string[] = [];
  const receipts = batch.receipts.flatMap(({ file, extra_files }) => [
    ...(file === null ? [] : [file]),
    ...extra_files,
  ]);
  const expected = new Map(receipts.map((file) => [file.name, file]));
  for (const { id, _kind, _outcome, _file } of batch.results) {
    if (_outcome !== 'succeeded' || !makesFile(_kind)) continue;
    const receipt = expected.get(_file);
    const content = await readFile(join(batch.out, _file)).catch(() => undefined);
    if (_file === '' || content === undefined) wrong.push(`${batch.name}/${id}: has no file ${_file}`);
    else if (receipt === undefined) wrong.push(`${batch.name}/${id}: ${_file} has no receipt`);
    else if (content.length === 0 || content.length !== receipt.bytes || hashOf(content) !== receipt.sha256) {
      wrong.push(`${batch.name}/${id}: ${_file} is not what the receipt says (${content.length} bytes)`);
    }
  }
  return wrong;
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function idsOf(csv: string): string[] {
  return parse<{ readonly id: string }>(csv, { columns: true, bom: true }).map(({ id }) => id);
}

/** Lines of a file of ours, of a known shape. */
function linesOf<T>(jsonl: string): T[] {
  return jsonl
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}
