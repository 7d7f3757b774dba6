import { open } from 'node:fs/promises';
import type { Dialect } from '../../contract/dialects.ts';
import { hasResult, type Outcome } from '../../contract/outcomes.ts';
import { csvLine, type LineValue } from '../line-formats.ts';
import { AtomicFile } from '../atomic-file.ts';
import { isAbsent } from '../files.ts';

/** One of the two rows in a line; null if only the other batch has it. */
export interface DifferenceSide {
  readonly row: number;
  /** The API dialect of its requests. */
  readonly apiDialect: Dialect;
  readonly outcome: Outcome | null;
  readonly errorClass: string | null;
  /** Extension of its result; null without one. Not written to the table. */
  readonly extension: string | null;
  /** How long its result plays. */
  readonly seconds: number | null;
  readonly credits: number;
  readonly attempts: number;
  readonly text: string | null;
}

/** A line of the table: a row of two batches that differs, or that only one has. */
export interface DifferenceLine {
  readonly id: string;
  /** The aspects that differ; `only` for a row of one batch. */
  readonly differs: readonly string[];
  /** Input fields that differ. */
  readonly input: readonly string[];
  /** How many words of the transcripts differ, out of how many; null without transcripts. */
  readonly words: { readonly different: number; readonly of: number } | null;
  readonly sides: readonly [DifferenceSide | null, DifferenceSide | null];
}

const SIDE_COLUMNS = [
  'row',
  'outcome',
  'error_class',
  'seconds',
  'credits',
  'attempts',
  'text',
  'api_dialect',
] as const;
/** First columns of the table in every version. */
const FIRST_COLUMNS = ['id', 'differs', 'input', 'words_different', 'words'];
const COLUMNS = [...FIRST_COLUMNS, ...SIDE_COLUMNS.flatMap((name) => [`${name}_1`, `${name}_2`])];

/** Returns whether a file may be overwritten: it does not exist, or it is a table that we wrote. */
export async function isOurTable(path: string): Promise<boolean> {
  const header = `${csvLine(FIRST_COLUMNS).trimEnd()},`;
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(header.length), 0, header.length, 0);
      return buffer.toString('utf8', 0, bytesRead) === header;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isAbsent(error)) return true;
    throw error;
  }
}

/** Writes the rows that differ as CSV. The file appears with `publish`, complete; `abandon` removes it before that. */
export class DifferenceTable {
  readonly #file: AtomicFile;

  private constructor(file: AtomicFile) {
    this.#file = file;
  }

  static async create(path: string): Promise<DifferenceTable> {
    const file = await AtomicFile.create(path);
    await file.write(csvLine(COLUMNS));
    return new DifferenceTable(file);
  }

  async add({ id, differs, input, words, sides }: DifferenceLine): Promise<void> {
    const [one, other] = sides.map(cellsOf);
    const pairs = SIDE_COLUMNS.flatMap((name) => [one?.[name] ?? '', other?.[name] ?? '']);
    await this.#file.write(csvLine([id, differs, input, words?.different ?? '', words?.of ?? '', ...pairs]));
  }

  async publish(): Promise<void> {
    await this.#file.seal();
    await this.#file.publish();
  }

  async abandon(): Promise<void> {
    await this.#file.abandon();
  }
}

function cellsOf(side: DifferenceSide | null): Readonly<Record<(typeof SIDE_COLUMNS)[number], LineValue>> | undefined {
  if (side === null) return undefined;
  return {
    row: side.row,
    outcome: side.outcome ?? '',
    error_class: hasResult(side.outcome) ? '' : (side.errorClass ?? ''),
    seconds: side.seconds === null ? '' : Math.round(side.seconds * 1_000) / 1_000,
    credits: side.credits,
    attempts: side.attempts,
    text: side.text ?? '',
    api_dialect: side.apiDialect,
  };
}
