import { DELIMITERS, PLAIN_TABLE, type Delimiter, type TableFormat } from '../contract/table-format.ts';
import { KNOWN_COLUMNS } from './header.ts';

export type ManifestFormat = ({ readonly format: 'csv' } & TableFormat) | { readonly format: 'jsonl' };

/**
 * Tells the format from the name and the first bytes. `.jsonl` and `.ndjson` are JSONL, as is anything that begins with
 * `{`. Of the delimiters, the one wins that makes the most column names that we know, then the one that occurs most
 * often in the header, then the comma; `.tsv` prefers the tab.
 */
export function detectFormat(name: string, head: string): ManifestFormat {
  const bom = head.startsWith('\uFEFF');
  const start = head.slice(bom ? 1 : 0).trimStart();
  if (/\.(jsonl|ndjson)$/i.test(name) || start.startsWith('{')) return { format: 'jsonl' };
  const order: readonly Delimiter[] = /\.tsv$/i.test(name) ? ['\t', ',', ';'] : DELIMITERS;
  let best: { delimiter: Delimiter; known: number; cells: number } | undefined;
  for (const delimiter of order) {
    const cells = headerCells(start, delimiter);
    const known = cells.filter((cell) => KNOWN_COLUMNS.has(cell.trim()) || cell.trim().startsWith('api.')).length;
    if (best === undefined || known > best.known || (known === best.known && cells.length > best.cells)) {
      best = { delimiter, known, cells: cells.length };
    }
  }
  return { format: 'csv', delimiter: best?.delimiter ?? PLAIN_TABLE.delimiter, bom };
}

/** A rough reading of the first record, good enough to compare delimiters. */
function headerCells(text: string, delimiter: Delimiter): string[] {
  const cells = [''];
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    else if (!quoted && (character === '\n' || character === '\r')) break;
    else if (!quoted && character === delimiter) cells.push('');
    else cells[cells.length - 1] = `${cells.at(-1) ?? ''}${character}`;
  }
  return cells;
}
