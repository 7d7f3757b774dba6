/** Kinds of manifest problems. The codes are stable: scripts may test for them. */
export const PROBLEM_CODES = {
  'empty-file': 'the file is empty',
  'no-rows': 'a header but no row',
  'no-header': 'no known column',
  encoding: 'not UTF-8',
  nul: 'a NUL character',
  'broken-quote': 'a quote that is not closed, or closes in the middle of a cell',
  'record-too-long': 'a record over 10 MB',
  'cell-too-long': 'a cell over 1 MB',
  'bad-cell':
    'an Excel cell with an error such as `#REF!`, with a formula whose result is not stored, or with a text that `results.xlsx` had to cut',
  'merged-cells': 'merged cells in an Excel sheet',
  'too-many-columns': 'more than 1,000 columns',
  'too-few-cells': 'a record with fewer cells than the header',
  'too-many-cells': 'a record with more cells than the header',
  'duplicate-column': 'two columns with one name, after trimming and `--map`',
  'empty-column-name': 'a column without a name',
  'unknown-column': 'an unknown column, under `--strict`',
  'unread-column': 'a cell that its row does not use, under `--strict`',
  'own-field': 'an `api.` cell for a field that voxbatch fills itself',
  'bad-map': '`--map` from a missing column, or to an unknown one',
  'bad-template': 'an invalid `--file-name` template',
  'bad-join': 'a missing column of `--join`, or a row with a value there that makes no speech',
  'unknown-kind': 'a kind that does not exist',
  'no-kind': 'a row that fits no kind, or several',
  'missing-column': 'a column that rows need; told once',
  'missing-cell': 'an empty cell that the kind needs',
  'bad-id': 'an id with control characters, over 200 characters, an absolute path, or one with `..`',
  'duplicate-id': 'a duplicate id, ignoring case',
  'bad-url': 'a link that is not an absolute http(s) URL',
  'local-file': 'a local file where the service needs a URL',
  'bad-number': 'not a number, or out of range',
  'unknown-word': 'a word that the API does not know there',
  'bad-path': 'not a list of local files',
  'bad-media': 'a local file that is missing, unreadable, or no video or sound',
  'bad-sample': 'a sample that is missing, too large, too long, or no recording',
  'bad-text': 'a text that is not valid Unicode',
  'text-too-long': 'a text that is longer than the API takes',
  'part-id': 'an id that ends in `#` and a number, under `--split`',
  'bad-name': 'an output name that leaves the folder or is too long',
  'duplicate-name': 'an output name that another row also has',
  'bad-json': 'a line that is not JSON',
  'not-an-object': 'a JSON line that is not an object',
  'nested-value': 'an object or array outside of `api.*`',
  'too-deep': 'objects and lists nested over 100 deep',
  'duplicate-key': 'a key that appears twice in a JSON object',
  'bad-voice-name': 'a voice by `name:` without a name',
  'unknown-speaker': 'a name that the cast does not have',
  'bad-cast': 'a cast that cannot be read, or has an error',
  'unknown-voice': 'a voice that the API does not list: a name always, an id under `--strict`',
  'ambiguous-voice': 'a name that several voices have',
  'not-in-dialect': 'a kind of row, or its verification, that `--api-dialect legacy` lacks',
  'not-verifiable': '`verify` for immediate speech (`--tts sync`), of which there is no link to transcribe',
  'engine-misfit': 'an engine that the voice does not work with, as far as the API says',
  'too-many-voices': 'names of voices beyond the first 50,000 voices',
  'mixed-batches': 'rows of several batches in one outcome file',
  'other-header': 'a file of several whose header is not that of the first',
  changed: 'the file changed while voxbatch read it',
} as const;
/** The code of a problem, which stays the same while its words may change. */
export type ProblemCode = keyof typeof PROBLEM_CODES;

/** A problem and its place. */
export interface ManifestProblem {
  /** The file, where a manifest has several. */
  readonly file?: string | undefined;
  /** Physical line of the record's first line, header = 1. */
  readonly line: number;
  /** The row's own id, otherwise empty. */
  readonly id: string;
  /** The column's name in the file, or `#3` for one without a usable name; empty if no column is meant. */
  readonly column: string;
  readonly expected: string;
  /** The value found, shortened. */
  readonly got: string;
  readonly code: ProblemCode;
}

/** A problem whose row is not known yet. */
export type Finding = Omit<ManifestProblem, 'file' | 'line' | 'id'>;

/** A note that does not stop a batch. One entry per column, however many rows have it; or one about the whole batch. */
export interface ManifestWarning {
  readonly column: string;
  readonly message: string;
  /** Line of the first occurrence; 0 if it is about no line. */
  readonly line: number;
  /** Rows affected; null for the column as a whole. */
  readonly rows: number | null;
}

/** A manifest, or the file that should hold one, cannot be used. Nothing was spent. */
export class ManifestError extends Error {
  readonly problems: readonly ManifestProblem[];
  /** Set if there is no such file. `meant`: the one that was probably meant; `why`: in the system's words. */
  readonly missing: { readonly given: string; readonly meant: string | undefined; readonly why: string } | undefined;

  constructor(message: string, problems: readonly ManifestProblem[] = [], missing?: ManifestError['missing']) {
    super(message);
    this.name = 'ManifestError';
    this.problems = problems;
    this.missing = missing;
  }
}

/**
 * One human-readable line: `line 4, id a1, column voice: expected …; got …`; with several files, `b.csv, line 4, …`.
 */
export function describeProblem(problem: ManifestProblem): string {
  const id = problem.id === '' ? '' : `, id ${show(problem.id)}`;
  const column = problem.column === '' ? '' : `, column ${show(problem.column)}`;
  const file = problem.file === undefined ? '' : `${problem.file}, `;
  return `${file}line ${problem.line}${id}${column}: expected ${problem.expected}; got ${problem.got}`;
}

const MAX_SHOWN_LENGTH = 60;

/** A value as shown in a message: quoted where that helps, control characters spelled out, shortened. */
export function show(value: string): string {
  const short = value.length > MAX_SHOWN_LENGTH ? `${value.slice(0, MAX_SHOWN_LENGTH)}…` : value;
  const spelled = JSON.stringify(short);
  return /^"[\w.#{}-]+"$/.test(spelled) ? short : spelled;
}
