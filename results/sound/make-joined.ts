import { join } from 'node:path';
import { PLAIN_TABLE } from '../../contract/table-format.ts';
import type { Joining } from '../../contract/finishing.ts';
import { collisionKey } from '../../inputs/output-name.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { Store, StoredPart } from '../../store/store.ts';
import { countFiles, type OnFiles } from '../count-files.ts';
import { placeFile, type StoredFiles } from '../media.ts';
import type { RealFolders } from '../real-folders.ts';
import { joinedStem, JoiningRows, whyIncomplete, type JoinedGroup } from './joined-groups.ts';
import { isThisFile, JOINED, readLines, removeFormer, type JoinedLine } from './sound-lists.ts';

/** Rows whose files are gathered in one reading of the ledger; more groups take another. */
const MOST_GATHERED = 50_000;

/** What joining needs of a store. */
export type JoiningStore = StoredFiles & Pick<Store, 'join' | 'remove'>;

/** The groups of a batch, and where their files go. */
interface JoiningRequest {
  readonly ledger: Pick<Ledger, 'scanRows'>;
  readonly store: JoiningStore;
  readonly batch: BatchRecord;
  readonly joining: Joining;
  /** Those of the out folder. */
  readonly folders: RealFolders;
  readonly groups: ReadonlyMap<string, JoinedGroup>;
  /** Whether the file of a row has this name below the out folder. */
  readonly isTaken: (name: string) => boolean;
  readonly onFiles: OnFiles;
}

/**
 * Makes the files of all groups that are complete, and removes those that are not any more. A file that is there
 * already stays: `joined.csv` says what it was made from, and its bytes are compared. Returns a line for each group.
 * Throws only if a disk or the ledger fails.
 */
export async function makeJoined(request: JoiningRequest): Promise<readonly JoinedLine[]> {
  const before = await readLines(request.folders.out, JOINED, request.batch.settings.table ?? PLAIN_TABLE);
  const earlier = new Map(before.map((line) => [line.value, line]));
  const lines = new Map<string, JoinedLine>();
  let round: JoinedGroup[] = [];
  let rows = 0;
  const done = countFiles(request.groups.size, request.onFiles);
  const names = new Set<string>();
  for (const group of request.groups.values()) {
    const kept = await keepOrRefuse(group, request, earlier.get(group.value), names);
    if (kept !== undefined) {
      lines.set(group.value, kept);
      done();
      continue;
    }
    // Their order is that of the groups, whenever they are made.
    lines.set(group.value, failed(group, ''));
    round.push(group);
    rows += group.rows;
    if (rows < MOST_GATHERED) continue;
    for (const line of await makeRound(round, request, done)) lines.set(line.value, line);
    [round, rows] = [[], 0];
  }
  for (const line of await makeRound(round, request, done)) lines.set(line.value, line);
  const made = [...lines.values()];
  await removeFormer(before, made, request.folders);
  return made;
}

/** The line of a group that has its file already, or can have none; undefined if the file is to be made. */
async function keepOrRefuse(
  group: JoinedGroup,
  { folders, isTaken }: Pick<JoiningRequest, 'folders' | 'isTaken'>,
  earlier: JoinedLine | undefined,
  names: Set<string>,
): Promise<JoinedLine | undefined> {
  const lacking = whyIncomplete(group);
  if (lacking !== undefined) return failed(group, lacking);
  const name = collisionKey(joinedStem(group));
  if (names.has(name)) return failed(group, 'another value has the same file name');
  names.add(name);
  if (earlier === undefined || earlier.parts !== group.digest || earlier.file === '') return undefined;
  if (isTaken(earlier.file) || !(await isThisFile(join(folders.out, earlier.file), earlier.sha256))) return undefined;
  return { ...earlier, rows: String(group.rows) };
}

/** Makes the files of some groups, one after the other: each takes all the threads that it can use. */
async function makeRound(
  groups: readonly JoinedGroup[],
  request: JoiningRequest,
  done: () => void,
): Promise<readonly JoinedLine[]> {
  if (groups.length === 0) return [];
  const { ledger, batch, joining } = request;
  const rows = new JoiningRows(batch, joining);
  const parts = new Map<string, StoredPart[]>(groups.map(({ value }) => [value, []]));
  for await (const { row } of ledger.scanRows(batch.name)) {
    const found = rows.partOf(row);
    if (found !== undefined) parts.get(rows.valueOf(row))?.push(found);
  }
  const lines: JoinedLine[] = [];
  for (const group of groups) {
    lines.push(await makeOne(group, parts.get(group.value) ?? [], request));
    done();
  }
  return lines;
}

async function makeOne(
  group: JoinedGroup,
  parts: readonly StoredPart[],
  request: JoiningRequest,
  isAgain = false,
): Promise<JoinedLine> {
  const { store, batch, folders, isTaken } = request;
  const found = await store.join(parts, `${batch.layout.stem}/joined-${group.digest.slice(0, 16)}`);
  if (found.type === 'unjoinable') return failed(group, found.why);
  if (found.type === 'damaged') return failed(group, `the stored file ${parts[found.at]?.key ?? ''} is ${found.is}`);
  const { file } = found;
  const name = `${joinedStem(group)}.${file.extension}`;
  try {
    if (isTaken(name)) return failed(group, `the file of a row has the name ${name}`);
    const became = await placeFile({ name, file }, store, folders);
    // Another command that makes the same files at this moment has removed it.
    if (became === 'missing' && !isAgain) return await makeOne(group, parts, request, true);
    if (became !== 'placed' && became !== 'kept') return failed(group, `the joined file is ${became}`);
  } finally {
    // It can be made again at any time, so the store need not keep it.
    await store.remove([file.key]);
  }
  const { sha256, seconds } = file;
  const [rows, length] = [String(group.rows), seconds === undefined ? '' : String(seconds)];
  return { value: group.value, file: name, seconds: length, rows, sha256, parts: group.digest, message: '' };
}

function failed({ value, rows }: JoinedGroup, message: string): JoinedLine {
  return { value, file: '', seconds: '', rows: String(rows), sha256: '', parts: '', message };
}
