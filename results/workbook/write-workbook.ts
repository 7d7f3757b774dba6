import { open } from 'node:fs/promises';
import { EXCEL_ROWS } from '../../contract/excel.ts';
import { FAILED_SHEET, hasResult, OUTCOMES } from '../../contract/outcomes.ts';
import { roundCredits } from '../../contract/price-units.ts';
import type { Decimal } from '../../contract/table-format.ts';
import { numberIn } from '../../inputs/number-columns.ts';
import type { LineValue } from '../line-formats.ts';
import type { ResultFields } from '../result-line.ts';
import type { Summary } from '../summary.ts';
import { document, escapeXml, sheetXml, STYLES_XML, type Sheet, type SheetCell } from './sheet-xml.ts';
import { ZipTooLarge, ZipWriter, type WriteBytes } from './zip-writer.ts';

/** What the workbook shows. */
export interface WorkbookSource {
  /** Path of the finished `results.jsonl`. */
  readonly results: string;
  /** Columns of the tables. */
  readonly columns: readonly string[];
  /** The manifest's columns whose cells are numbers. */
  readonly numbers: ReadonlySet<string>;
  /** Their decimal separator. */
  readonly decimal: Decimal;
  readonly summary: Summary;
}

/** Result of writing a workbook. `too-many-rows`: for a sheet of Excel. `too-large`: the file would exceed 4 GB. */
export type WorkbookAnswer = 'written' | 'too-many-rows' | 'too-large';

/** A line of `results.jsonl`. */
type Line = Readonly<Record<string, LineValue>> & ResultFields;

/** Columns that say why a row has no result; they come first on the sheet of failed rows. */
const REASON_COLUMNS: readonly string[] = ['_outcome', '_error_class', '_message'];

/**
 * Writes `results.xlsx`: the results, what failed and why, and the bill. It is made from `results.jsonl`, row by row,
 * so it says the same and needs no memory for the rows.
 */
export async function writeWorkbook(write: WriteBytes, source: WorkbookSource): Promise<WorkbookAnswer> {
  const { columns, summary } = source;
  if (summary.rows >= EXCEL_ROWS) return 'too-many-rows';
  const sums = new CreditSums();
  const whyFirst = [...REASON_COLUMNS, ...columns.filter((name) => !REASON_COLUMNS.includes(name))];
  const sheets: readonly Sheet[] = [
    { name: 'Results', columns, rows: rowsOf(source, columns, (line) => sums.add(line)) },
    { name: FAILED_SHEET, columns: whyFirst, rows: rowsOf(source, whyFirst, hasFailed) },
    { name: 'Bill', columns: BILL_COLUMNS, rows: billRows(summary, sums) },
  ];
  try {
    await writeSheets(new ZipWriter(write), sheets);
    return 'written';
  } catch (error) {
    if (error instanceof ZipTooLarge) return 'too-large';
    throw error;
  }
}

function hasFailed({ _outcome: outcome }: Line): boolean {
  return outcome !== '' && !hasResult(outcome);
}

/** Yields the rows of a sheet from the lines of `results.jsonl` that `take` selects. */
async function* rowsOf(
  { results, numbers, decimal }: WorkbookSource,
  columns: readonly string[],
  take: (line: Line) => boolean,
): AsyncGenerator<readonly SheetCell[]> {
  const file = await open(results);
  const cellIn = (name: string, value: LineValue = null): SheetCell =>
    typeof value === 'string' && numbers.has(name) ? numberCell(value, decimal) : cellOf(name, value);
  try {
    for await (const text of file.readLines()) {
      const line = JSON.parse(text) as Line;
      if (take(line)) yield columns.map((name) => cellIn(name, line[name]));
    }
  } finally {
    await file.close();
  }
}

/** Returns a number cell if Excel keeps all digits of the number, else a text cell. */
function numberCell(cell: string, decimal: Decimal): SheetCell {
  const value = numberIn(cell, decimal);
  return Number(value.toPrecision(15)) === value && !String(value).includes('e') ? value : cell;
}

function cellOf(name: string, value: LineValue): SheetCell {
  if (name === '_file' && typeof value === 'string' && value !== '') return { file: value };
  return value !== null && typeof value === 'object' ? value.join(' ') : value;
}

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SHEET_ML = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Writes the parts of an Office Open XML package: content types, relationships, workbook, styles, sheets. */
async function writeSheets(zip: ZipWriter, sheets: readonly Sheet[]): Promise<void> {
  const numbers = sheets.map((_, index) => index + 1);
  const parts = numbers.map(
    (number) => `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${SHEET_ML}.worksheet+xml"/>`,
  );
  await zip.add('[Content_Types].xml', [
    `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET_ML}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${SHEET_ML}.styles+xml"/>${parts.join('')}</Types>`,
  ]);
  await zip.add('_rels/.rels', [relationships([['officeDocument', 'xl/workbook.xml']])]);
  const listed = sheets.map(
    ({ name }, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  await zip.add('xl/workbook.xml', [
    document('workbook', `<sheets>${listed.join('')}</sheets>`, ` xmlns:r="${OFFICE}"`),
  ]);
  const targets = numbers.map((number) => ['worksheet', `worksheets/sheet${number}.xml`] as const);
  await zip.add('xl/_rels/workbook.xml.rels', [relationships([...targets, ['styles', 'styles.xml']])]);
  await zip.add('xl/styles.xml', [STYLES_XML]);
  for (const [index, sheet] of sheets.entries()) await zip.add(`xl/worksheets/sheet${index + 1}.xml`, sheetXml(sheet));
  await zip.end();
}

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const lines = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${lines.join('')}</Relationships>`;
}

const BILL_COLUMNS = ['what', 'kind', 'rows', 'credits'];

/** Adds up rows and credits by outcome and kind. */
class CreditSums {
  readonly #sums = new Map<string, { rows: number; credits: number }>();

  /** Adds a line. Returns true, because it is used as a filter that takes every line. */
  add({ _kind: kind, _outcome: outcome, _credits: credits }: ResultFields): boolean {
    const key = `${outcome} ${kind}`;
    const sum = this.#sums.get(key) ?? { rows: 0, credits: 0 };
    this.#sums.set(key, { rows: sum.rows + 1, credits: sum.credits + credits });
    return true;
  }

  /** Yields the sums in the order of outcomes; rows that have not ended come last. */
  *lines(): Generator<readonly SheetCell[]> {
    for (const outcome of [...OUTCOMES, '']) {
      for (const [key, { rows, credits }] of [...this.#sums].toSorted()) {
        const [name = '', kind = ''] = key.split(' ');
        if (name === outcome) yield [outcome === '' ? 'not finished' : outcome, kind, rows, roundCredits(credits)];
      }
    }
  }
}

/**
 * Yields the rows of the bill: rows and credits by outcome and kind, then the sums and facts of the summary. A
 * generator, because `sums` is complete only after the sheet of results was written.
 */
function* billRows(summary: Summary, sums: CreditSums): Generator<readonly SheetCell[]> {
  const { credits, budget } = summary;
  yield* sums.lines();
  yield ['charged', '', summary.rows, credits.charged];
  const fact = (what: string, value: SheetCell): readonly SheetCell[] => [what, '', null, value];
  yield fact('reserved: in flight, or for later steps', credits.reserved);
  yield fact('uncertain: may have been charged', credits.uncertain);
  yield fact('saved by earlier results', credits.saved);
  yield fact('budget', budget);
  yield fact('some figures are estimates', credits.estimated ? 'yes' : 'no');
  yield fact('batch', summary.batch);
  yield fact('manifest', summary.manifest);
  yield fact('API', summary.api);
  yield fact('account', summary.account);
  yield fact('first request', summary.started_at);
  yield fact('last row ended', summary.ended_at);
}
