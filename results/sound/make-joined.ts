import { hash } from 'node:crypto';
import { join, posix } from 'node:path';
import { DEFAULT_TABLE_FORMAT } from '../../contract/table-format.ts';
import { type Joining, parsePause, PAUSE_COLUMN, TITLE_COLUMN } from '../../contract/finishing.ts';
import { collisionKey, JOINED_FOLDER, safeId, MEDIA_FOLDER } from '../../inputs/output-name.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';
import type { Store, StoredPart } from '../../store/store.ts';
import { hasContent } from '../files.ts';
import { countFiles, JOINED, type MakingFiles, readLines, removeFormer, type JoinedLine } from './sound-lists.ts';
import { placeFile, type StoredFiles } from '../place-file.ts';
import { hasResult } from '../../contract/outcomes.ts';

/** Max rows whose files are gathered in one scan of the ledger; further groups need another scan. */
const MAX_GATHERED = 50_000;

/** The part of a store that joining needs. */
export type JoiningStore = StoredFiles & Pick<Store, 'join' | 'remove'>;

/** The groups of rows to join, and where their files go. */
interface JoiningRequest extends MakingFiles<JoiningStore> {
  readonly groups: JoinedGroups;
}

/**
 * Makes the files of all complete groups, and removes those of groups that no longer are. An up-to-date file stays:
 * `joined.csv` records its sources, and its bytes are compared. Returns a line for each group. Throws only if a disk or
 * the ledger fails.
 */
export async function makeJoined(request: JoiningRequest): Promise<readonly JoinedLine[]> {
  const before = await readLines(request.folders.out, JOINED, request.batch.settings.table ?? DEFAULT_TABLE_FORMAT);
  const earlier = new Map(before.map((line) => [line.value, line]));
  const lines = new Map<string, JoinedLine>();
  let round: JoinedGroup[] = [];
  let rows = 0;
  const done = countFiles(request.groups.all.size, request.onFiles);
  const names = new Set<string>();
  for (const group of request.groups.all.values()) {
    const kept = await keepOrRefuse(group, request, earlier.get(group.value), names);
    if (kept !== undefined) {
      lines.set(group.value, kept);
      done();
      continue;
    }
    // Reserves the line's position: lines are in the order of groups, not of completion.
    lines.set(group.value, lineWithoutFile(group, ''));
    round.push(group);
    rows += group.rows;
    if (rows < MAX_GATHERED) continue;
    for (const line of await makeRound(round, request, done)) lines.set(line.value, line);
    round = [];
    rows = 0;
  }
  for (const line of await makeRound(round, request, done)) lines.set(line.value, line);
  const made = [...lines.values()];
  await removeFormer(before, made, request.folders);
  return made;
}

/** Returns the line of a group that has its file already or cannot have one; undefined if the file must be made. */
async function keepOrRefuse(
  group: JoinedGroup,
  { folders, isTaken }: Pick<JoiningRequest, 'folders' | 'isTaken'>,
  earlier: JoinedLine | undefined,
  names: Set<string>,
): Promise<JoinedLine | undefined> {
  const lacking = whyIncomplete(group);
  if (lacking !== undefined) return lineWithoutFile(group, lacking);
  const name = collisionKey(joinedStem(group));
  if (names.has(name)) return lineWithoutFile(group, 'another value has the same file name');
  names.add(name);
  if (earlier === undefined || earlier.parts !== group.digest || earlier.file === '') return undefined;
  if (isTaken(earlier.file) || !(await hasContent(join(folders.out, earlier.file), earlier.sha256))) return undefined;
  return { ...earlier, rows: String(group.rows) };
}

/** Makes the files of some groups, one at a time, because each uses all available threads. */
async function makeRound(
  groups: readonly JoinedGroup[],
  request: JoiningRequest,
  done: () => void,
): Promise<readonly JoinedLine[]> {
  if (groups.length === 0) return [];
  const { ledger, batch, groups: rows } = request;
  const parts = new Map<string, StoredPart[]>(groups.map(({ value }) => [value, []]));
  for await (const { row } of ledger.scanRows(batch.name)) {
    const found = rows.partOf(row);
    if (found !== undefined) parts.get(rows.valueOf(row))?.push(found);
  }
  const lines: JoinedLine[] = [];
  for (const group of groups) {
    lines.push(await makeFile(group, parts.get(group.value) ?? [], request));
    done();
  }
  return lines;
}

/** Makes the file of a group. `isAgain`: this is the second try. */
async function makeFile(
  group: JoinedGroup,
  parts: readonly StoredPart[],
  request: JoiningRequest,
  isAgain = false,
): Promise<JoinedLine> {
  const { store, batch, folders, isTaken } = request;
  const found = await store.join(parts, `${batch.layout.stem}/joined-${group.digest.slice(0, 16)}`);
  if (found.type === 'unjoinable') return lineWithoutFile(group, found.why);
  if (found.type === 'damaged')
    return lineWithoutFile(group, `the stored file ${parts[found.at]?.key ?? ''} is ${found.is}`);
  const { file } = found;
  const name = `${joinedStem(group)}.${file.extension}`;
  try {
    if (isTaken(name)) return lineWithoutFile(group, `the file of a row has the name ${name}`);
    const became = await placeFile({ name, file }, store, folders);
    // Another command that makes the same file may just have removed it from the store.
    if (became === 'missing' && !isAgain) return await makeFile(group, parts, request, true);
    if (became !== 'placed' && became !== 'kept') return lineWithoutFile(group, `the joined file is ${became}`);
  } finally {
    // The file can be remade at any time, so the store need not keep it.
    await store.remove([file.key]);
  }
  const { sha256, seconds } = file;
  return { ...lineWithoutFile(group, ''), file: name, seconds: String(seconds ?? ''), sha256, parts: group.digest };
}

/** Returns the line of a group without a file. */
function lineWithoutFile({ value, rows }: JoinedGroup, message: string): JoinedLine {
  return { value, file: '', seconds: '', rows: String(rows), sha256: '', parts: '', message };
}

/** Max characters of a row's text used as the title of an untitled chapter. */
const TITLE_CHARACTERS = 60;
/** Max missing rows to name; the rest are only counted. */
const MAX_NAMED = 3;

/** The rows read so far with one value in the `--join` column. */
export interface JoinedGroup {
  readonly value: string;
  rows: number;
  /** The first few rows without a usable file, and why. */
  readonly lacks: string[];
  /** How many such rows there are. */
  missing: number;
  /** Digest of everything that determines the joined file: equal digests mean equal files. */
  digest: string;
}

/** Collects the rows of a batch by their values in the `--join` column, in the order in which the values first come. */
export class JoinedGroups {
  readonly all = new Map<string, JoinedGroup>();
  readonly #joining: Joining;
  readonly #at: { readonly value: number; readonly pause: number; readonly title: number };

  constructor({ columns }: Pick<BatchRecord, 'columns'>, joining: Joining) {
    this.#joining = joining;
    const at = (name: string): number => columns.indexOf(name);
    this.#at = { value: at(joining.column), pause: at(PAUSE_COLUMN), title: at(TITLE_COLUMN) };
  }

  /** Adds a row to its group, if it is joined. */
  add(row: RowRecord): void {
    const value = this.valueOf(row);
    if (value === '') return;
    const group = this.all.get(value) ?? { value, rows: 0, lacks: [], missing: 0, digest: '' };
    this.all.set(value, group);
    group.rows += 1;
    const part = this.partOf(row);
    if (part === undefined) {
      group.missing += 1;
      if (group.lacks.length < MAX_NAMED) group.lacks.push(`row ${row.row} (${row.id}) ${whyLacking(row)}`);
      return;
    }
    const { sha256, pauseMs, title } = part;
    group.digest = hash('sha256', JSON.stringify([group.digest, sha256, pauseMs, title]), 'hex');
  }

  /** Returns the row's value in the `--join` column; empty if the row is not joined. */
  valueOf({ input }: Pick<RowRecord, 'input'>): string {
    return input[this.#at.value]?.trim() ?? '';
  }

  /** Returns the row's file as a part of the joined one; undefined without a file. */
  partOf({ input, outcome, file, spec, id }: RowRecord): StoredPart | undefined {
    if (!hasResult(outcome) || file === null || file.removedAt !== undefined) return undefined;
    const cell = (at: number): string => input[at]?.trim() ?? '';
    const seconds = parsePause(cell(this.#at.pause)) ?? this.#joining.pause;
    const { key, bytes, sha256, extension } = file;
    const title = cell(this.#at.title) || firstWords(spec.text ?? '') || id;
    return { key, bytes, sha256, extension, pauseMs: Math.round(seconds * 1_000), title };
  }
}

/** Explains why a group is incomplete; undefined if it is complete. */
function whyIncomplete({ lacks, missing }: JoinedGroup): string | undefined {
  if (missing === 0) return undefined;
  const more = missing > lacks.length ? `, and ${missing - lacks.length} more` : '';
  return `${lacks.join(', ')}${more}`;
}

/** Returns the path of a group's file below the out folder, without its extension. */
function joinedStem({ value }: Pick<JoinedGroup, 'value'>): string {
  return posix.join(MEDIA_FOLDER, JOINED_FOLDER, safeId(value));
}

function whyLacking({ outcome, file }: RowRecord): string {
  if (outcome === null) return 'is not finished';
  if (!hasResult(outcome)) return `is ${outcome}`;
  return file === null ? 'has no file' : 'has a file that was removed';
}

/** Returns the start of a text on one line, cut at a word boundary if possible. */
function firstWords(text: string): string {
  const line = text.trim().replaceAll(/\s+/gu, ' ');
  const characters = Array.from(line);
  if (characters.length <= TITLE_CHARACTERS) return line;
  const start = characters.slice(0, TITLE_CHARACTERS).join('');
  const end = start.lastIndexOf(' ');
  return `${end > 0 ? start.slice(0, end) : start}…`;
}
