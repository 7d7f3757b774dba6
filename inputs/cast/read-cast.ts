import type { Cast, CastMember } from '../../contract/cast.ts';
import { columnsOfKind, KINDS } from '../../contract/row-kinds.ts';
import {
  describeProblem,
  ManifestError,
  show,
  type Finding,
  type ManifestProblem,
} from '../../contract/manifest-problems.ts';
import { ownColumnOf } from '../../policy/rows/column-of-field.ts';
import { requestedVoiceName } from '../../policy/voices/voice-name.ts';
import { MAX_COLUMNS, type RawItem } from '../check-bytes.ts';
import { foldHeader, isApi, guessColumn } from '../header-names.ts';
import { findBadCell, findTooDeep } from '../parse-row.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { detectFormat } from '../detect-format.ts';
import { readCsv } from '../read-csv.ts';
import { readJsonl } from '../read-jsonl.ts';
import { openRegular, whyUnreadable } from '../regular-file.ts';

/** Columns of a cast besides `name` and `api.*`. */
const COLUMNS: readonly string[] = ['voice', 'engine', 'language'];

/** Accepted headers for the column of names. */
const NAME_HEADERS: readonly string[] = ['name', 'speaker', 'sprecher', 'sprecherin', 'rolle', 'figur', 'character'];

/** Max problems that a message lists. */
const LISTED = 20;

/**
 * Max names of a cast, and max bytes of its cells. The record of a batch holds its cast, and is read several times a
 * second. A larger table is something else: a list of lines, or of an account's voices.
 */
const MAX_MEMBERS = 10_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a cast: a table of names with their voices, and other cells for their rows. It may have any format of a
 * manifest. Members come sorted by name. @throws ManifestError with all problems
 */
export async function readCast(path: string): Promise<Cast> {
  return withCastItems(path, (parts) => castOf(path, parts));
}

/** Builds the cast from its records. Gives up once there are more problems than a cast may have members. */
async function castOf(path: string, parts: Items): Promise<Cast> {
  const members: CastMember[] = [];
  const problems: ManifestProblem[] = [];
  const lines = new Map<string, number>();
  const size = { members: 0, bytes: 0, columns: 0 };
  let header: readonly (string | undefined)[] = [];
  for await (const items of parts)
    for (const item of items) {
      const at = { line: 'line' in item ? item.line : 1, id: '' };
      const report = (finding: Finding): number => problems.push({ ...at, ...finding });
      const tooLarge = addSize(size, item);
      if (tooLarge !== undefined || problems.length >= MAX_MEMBERS)
        throw refusal(path, tooLarge === undefined ? problems : [{ ...at, ...tooLarge }, ...problems]);
      if (item.type === 'problem') problems.push(item.problem);
      else if (item.type === 'columns') header = [...header, ...item.names.map((name) => ourColumn(name, report))];
      else if (item.type === 'record' && item.cells.some((cell) => cell.trim() !== '')) {
        const member = memberOf(header, item.cells);
        const before = lines.get(member.name);
        for (const finding of findWrong(member, before)) report(finding);
        lines.set(member.name, at.line);
        members.push(member);
      }
    }
  if (members.length === 0 && problems.length === 0)
    problems.push({ line: 1, id: '', ...bad('', 'a header such as name, voice and a row for each name', 'no row') });
  if (problems.length > 0) throw refusal(path, problems);
  return { from: path, members: members.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** Adds an item to the size of the cast. Returns a finding if the table is then too large for a cast. */
function addSize(size: { members: number; bytes: number; columns: number }, item: RawItem): Finding | undefined {
  if (item.type === 'columns') size.columns += item.names.length;
  if (item.type === 'record') {
    size.members += 1;
    size.bytes += item.cells.reduce((sum, cell) => sum + Buffer.byteLength(cell), 0);
  }
  if (size.columns > MAX_COLUMNS) return tooMuch(`at most ${String(MAX_COLUMNS)} columns`);
  if (size.members > MAX_MEMBERS) return tooMuch(`at most ${MAX_MEMBERS.toLocaleString('en')} names`);
  return size.bytes > MAX_BYTES ? tooMuch('at most 1 MB') : undefined;
}

function tooMuch(limit: string): Finding {
  return bad('', `${limit} in a cast, one row for each speaker; the rest was not checked`, 'more');
}

/** Returns our column for a header; undefined if it is for notes (`_…`), or unknown, which is reported. */
function ourColumn(header: string, report: (finding: Finding) => void): string | undefined {
  const name = header.trim();
  if (name.startsWith('_')) return undefined;
  if (isApi(name)) {
    const field = name.slice('api.'.length);
    const isOwn = speakingKinds().some((kind) => ownColumnOf(kind, field) !== undefined);
    if (isOwn) report(bad(name, 'no field that voxbatch fills itself', show(name)));
    return name;
  }
  const folded = foldHeader(name);
  if (NAME_HEADERS.includes(folded)) return 'name';
  const ours = COLUMNS.find((column) => column === folded) ?? guessColumn(name, COLUMNS);
  if (ours !== undefined) return ours;
  const style = /^(style|stil|emotion|mood)$/.test(folded)
    ? ` (a style is what your engine takes: api.emotion, api.instruction)`
    : '';
  report(bad(name, `name, ${COLUMNS.join(', ')}, api.FIELD, or a name that begins with _${style}`, show(name)));
  return undefined;
}

/** Returns the kinds of rows that have a voice. */
function speakingKinds(): typeof KINDS {
  return KINDS.filter((kind) => columnsOfKind(kind).required.includes('voice'));
}

/** Returns the member of a record. */
function memberOf(header: readonly (string | undefined)[], cells: readonly string[]): CastMember {
  const filled = header.flatMap((column, at) => {
    const cell = cells[at]?.trim() ?? '';
    return column === undefined || cell === '' ? [] : [[column, cell] as const];
  });
  const { name = '', ...values } = Object.fromEntries(filled);
  return { name, values };
}

/** Finds what is wrong with a member. `before`: the line of an earlier member of that name. */
function findWrong({ name, values }: CastMember, before: number | undefined): readonly Finding[] {
  const voice = values['voice'];
  const cells = [['name', name] as const, ...Object.entries(values)];
  const unusable = cells.flatMap(([column, cell]) => {
    return findBadCell(column, cell) ?? (isApi(column) ? findTooDeep(column, cell) : undefined) ?? [];
  });
  return [
    ...unusable,
    ...(name === '' ? [bad('name', 'a name', 'an empty cell')] : []),
    ...(voice === undefined
      ? [bad('voice', `the voice of ${show(name)}: an id, or name: and its name`, 'nothing')]
      : []),
    ...(voice !== undefined && requestedVoiceName(voice) === '' ? [bad('voice', 'name: and a name', show(voice))] : []),
    ...(before === undefined ? [] : [bad('name', `each name once; line ${String(before)} has the same`, show(name))]),
  ];
}

function bad(column: string, expected: string, got: string): Finding {
  return { column, expected, got, code: 'bad-cast' };
}

/** Returns the error for a cast with problems. */
function refusal(path: string, problems: readonly ManifestProblem[]): ManifestError {
  const more = problems.length - LISTED;
  const lines = problems.slice(0, LISTED).map(describeProblem);
  const all = [...lines, ...(more > 0 ? [`and ${String(more)} more`] : [])].join('\n  ');
  return new ManifestError(`the cast ${path} cannot be used. Nothing was spent.\n  ${all}`, problems);
}

/** Bytes by which the format is detected. */
const HEAD_BYTES = 64 * 1024;

/** The records of a table, as all format readers yield them. */
type Items = AsyncIterable<readonly RawItem[]>;

/**
 * Runs `use` on the records of a cast; those of a workbook are the rows of its first visible sheet. The records are
 * only valid until `use` ends.
 */
async function withCastItems<T>(path: string, use: (items: Items) => Promise<T>): Promise<T> {
  const place = resolve(path);
  const head = await headOf(place).catch((error: unknown) => {
    throw unreadable(path, whyUnreadable(error));
  });
  const format = detectFormat({ label: path, name: path, what: `the cast ${path}` }, head);
  const file = { path: place };
  switch (format.format) {
    case 'csv':
      return use(readCsv(file, format.delimiter));
    case 'jsonl':
      return use(readJsonl(file));
    case 'xlsx':
      return withSheet(path, place, use);
  }
}

/** Runs `use` on the rows of a workbook, which are written to a temporary file meanwhile. */
async function withSheet<T>(path: string, place: string, use: (items: Items) => Promise<T>): Promise<T> {
  const [{ spoolWorkbook }, { UnreadableWorkbook }, { readSpooled }] = await Promise.all([
    import('../workbook/spool-workbook.ts'),
    import('../workbook/unreadable.ts'),
    import('../workbook/read-spooled.ts'),
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-cast-'));
  try {
    const into = join(folder, 'rows');
    await spoolWorkbook(place, undefined, into).catch((error: unknown) => {
      throw error instanceof UnreadableWorkbook ? unreadable(path, error.message) : error;
    });
    return await use(readSpooled({ path: into }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads the first bytes of a file. */
async function headOf(path: string): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function unreadable(path: string, why: string): ManifestError {
  return new ManifestError(`cannot read the cast ${path}: ${why}. Nothing was spent.`);
}
