import { ManifestError } from '../contract/manifest-problems.ts';
import { type TableFormat, type Delimiter, DELIMITERS, DEFAULT_TABLE_FORMAT } from '../contract/table-format.ts';
import { knownColumns, foldHeader } from './header-names.ts';

/** The format of a manifest. Of CSV, also how its cells are separated. */
export type ManifestFormat = ({ readonly format: 'csv' } & TableFormat) | { readonly format: 'jsonl' | 'xlsx' };

/** The first bytes of a ZIP archive, which every .xlsx workbook is. */
const ZIP = Buffer.from('PK\u0003\u0004');

/** The first bytes of old Excel files, and of new ones with a password. */
const OLD_EXCEL = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/**
 * `label`: the file as the user named it. `name`: its name, whose extension may decide the format. `what`: the file in
 * error messages; default: the manifest and its label.
 */
interface FileName {
  readonly label: string;
  readonly name: string;
  readonly what?: string;
}

/**
 * Detects the format by the name and the first bytes (`bytes`). `.jsonl` and `.ndjson` are JSONL, as is anything that
 * begins with `{`. Of the delimiters of CSV, the one wins that yields the most known column names, then the one most
 * frequent in the header, then the comma; for `.tsv` the tab. Throws `ManifestError` for Excel files that cannot be
 * read.
 */
export function detectFormat({ label, name, what = `the manifest ${label}` }: FileName, bytes: Buffer): ManifestFormat {
  const startsWith = (mark: Buffer): boolean => bytes.subarray(0, mark.length).equals(mark);
  if (startsWith(ZIP)) return { format: 'xlsx' };
  if (startsWith(OLD_EXCEL) || /\.xls[xmb]?$/i.test(name)) {
    const fault = startsWith(OLD_EXCEL)
      ? 'an old Excel file (.xls), or has a password'
      : 'named like an Excel workbook, but is none';
    throw new ManifestError(
      `cannot read ${what}: it is ${fault}. Nothing was spent. Save it as .xlsx without a password, or as "CSV UTF-8".`,
    );
  }
  const head = bytes.toString();
  const bom = head.startsWith('\uFEFF');
  const start = head.slice(bom ? 1 : 0).trimStart();
  if (/\.(jsonl|ndjson)$/i.test(name) || start.startsWith('{')) return { format: 'jsonl' };
  const order: readonly Delimiter[] = /\.tsv$/i.test(name) ? ['\t', ',', ';'] : DELIMITERS;
  let best: { delimiter: Delimiter; known: number; cells: number } | undefined;
  for (const delimiter of order) {
    const cells = headerCells(start, delimiter);
    const known = cells.filter(
      (cell) => knownColumns().has(foldHeader(cell.trim())) || cell.trim().startsWith('api.'),
    ).length;
    if (best === undefined || known > best.known || (known === best.known && cells.length > best.cells)) {
      best = { delimiter, known, cells: cells.length };
    }
  }
  return { format: 'csv', delimiter: best?.delimiter ?? DEFAULT_TABLE_FORMAT.delimiter, bom };
}

/** Splits the first record roughly, well enough to compare delimiters. */
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
