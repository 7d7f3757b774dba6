import { createHash } from 'node:crypto';
import { bytesOf, type ManifestBytes, type RawItem } from '../check-bytes.ts';
import type { ManifestProblem } from '../../contract/manifest-problems.ts';
import type { SpooledLine } from './spool-workbook.ts';

const LF = 10;
/** Bytes read at once. */
const CHUNK_BYTES = 16 * 1024;

/**
 * Reads a sheet that `spoolWorkbook` wrote as lines of JSON. Yields its records in batches, the header first, and the
 * sha256 of the file last.
 */
export async function* readSpooled(from: ManifestBytes): AsyncGenerator<readonly RawItem[]> {
  const digest = createHash('sha256');
  // The start of a line that the last chunk cut off.
  let rest: Buffer[] = [];
  let isHeader = true;
  const itemOf = (text: string): RawItem => {
    const line = JSON.parse(text) as SpooledLine;
    if (!isRow(line)) return { type: 'problem', problem: line };
    const [row, cells] = line;
    if (!isHeader) return { type: 'record', line: row, cells };
    isHeader = false;
    return { type: 'columns', line: row, names: cells };
  };
  for await (const bytes of bytesOf(from, CHUNK_BYTES)) {
    digest.update(bytes);
    const items: RawItem[] = [];
    let start = 0;
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, start)) {
      items.push(itemOf(Buffer.concat([...rest, bytes.subarray(start, at)]).toString()));
      [rest, start] = [[], at + 1];
    }
    rest.push(Buffer.from(bytes.subarray(start)));
    yield items;
  }
  yield [{ type: 'end', digest: digest.digest('hex') }];
}

function isRow(line: SpooledLine): line is Exclude<SpooledLine, ManifestProblem> {
  return Array.isArray(line);
}
