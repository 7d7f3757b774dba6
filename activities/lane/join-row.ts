import { messageOf } from '../../contract/message-of.ts';
import { createHash } from 'node:crypto';
import { formatPartCount } from '../../contract/row-parts.ts';
import type { Failure } from '../../contract/failures.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { ResultFile } from '../../ledger/records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import type { SplitRow } from '../../ledger/parts/end-split-row.ts';
import { attemptOfFile, lostFile } from '../../policy/redrive/lost-file.ts';
import { StoreUnwritable } from '../../store/errors.ts';
import { joinedStemOf } from '../../store/layout.ts';
import type { Joined } from '../../store/store.ts';
import { loadBatch } from '../cache/batch-cache.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Joins the audio files of a row's parts into its result. A long text is split into parts, which are sent like rows of
 * their own; once all have results, the row itself is claimed for this. Joining is free and offline, so it runs even
 * while the batch is paused or stopping.
 *
 * After a kill, the row's next holder joins again under the same file name. If a part changes meanwhile, the ledger
 * refuses the file, and the row waits for its parts again. Returns the row's snapshot; undefined if nothing was
 * recorded for the row. Throws `StoreUnwritable`.
 */
export async function joinRow(
  deps: Pick<Dependencies, 'ledger' | 'store' | 'observe' | 'atFaultPoint'> & Parameters<typeof loadBatch>[0],
  batchName: string,
  { row }: RowSnapshot,
): Promise<RowSnapshot | undefined> {
  const whole: SplitRow = { batch: batchName, row: row.row, fence: row.fence };
  const batch = await loadBatch(deps, batchName);
  const parts = await deps.ledger.partsOf(batchName, row.row);
  const files = parts.flatMap((part) => part.row.file ?? []);
  // A part has been reopened since the row was claimed.
  if (files.length !== row.parts) return undefined;
  const stem = stemFor(batch, row.row, files);
  const joined = await joinFiles(deps, whole, files, stem);
  if (joined.type === 'damaged') {
    // A file of this stem was joined from the same parts: with it, the damaged part is not needed.
    const before = await earlierJoined(deps, whole, ({ key }) => key.startsWith(`${stem}.`));
    if (before !== undefined) return deps.ledger.endSplitRow(whole, { file: before });
    const part = parts[joined.at];
    if (part === undefined) throw new Error(`Expected a part at place ${joined.at} of row ${row.row}.`);
    const source = attemptOfFile(part.charges, part.row.file?.key);
    await deps.ledger.failLostPart(whole, part.row.row, lostFile(joined.is, source, ', so the parts cannot be joined'));
    return undefined;
  }
  if (joined.type === 'unjoinable') {
    // A new take of a part must not cost the row its earlier file.
    const before = await earlierJoined(deps, whole, () => true);
    const end =
      before === undefined ? { failure: notJoined(joined.why, files) } : { file: keptWith(before, joined.why) };
    return deps.ledger.endSplitRow(whole, end);
  }
  await deps.atFaultPoint('before-join-record');
  return deps.ledger.endSplitRow(whole, { file: joined.file });
}

/** Returns the last file that the row was joined to earlier, if one matches and is still stored unaltered. */
async function earlierJoined(
  { ledger, store }: Pick<Dependencies, 'ledger' | 'store'>,
  { batch, row }: SplitRow,
  matches: (file: ResultFile) => boolean,
): Promise<ResultFile | undefined> {
  const files = (await ledger.takesOf(batch, row)).flatMap(({ before }) => before.file ?? []);
  const file = files.findLast(matches);
  if (file === undefined) return undefined;
  const stem = file.key.slice(0, -`.${file.extension}`.length);
  const there = await store.find(stem, { family: 'audio', extension: file.extension });
  return there?.sha256 === file.sha256 ? file : undefined;
}

/** Joins files. A failure is returned; only an unwritable store throws, since that affects the whole lane. */
async function joinFiles(
  { store, observe }: Pick<Dependencies, 'store' | 'observe'>,
  { batch, row }: SplitRow,
  files: readonly ResultFile[],
  stem: string,
): Promise<Joined> {
  try {
    return await store.join(files, stem);
  } catch (error) {
    if (error instanceof StoreUnwritable) throw error;
    const why = messageOf(error);
    observe({ type: 'note', what: 'parts-unjoinable', batch, row, error: why });
    return { type: 'unjoinable', why };
  }
}

/** Returns a file name without extension, derived from the contents: the same parts always give the same name. */
function stemFor({ layout }: BatchRecord, row: number, files: readonly ResultFile[]): string {
  const hash = createHash('sha256');
  for (const { sha256 } of files) hash.update(sha256);
  return joinedStemOf(layout, row, hash.digest('hex'));
}

/** Returns the earlier file with a note for the user of why the row keeps it. */
function keptWith(file: ResultFile, why: string): ResultFile {
  const oddity = `Its parts as they are now cannot be joined (${why.slice(0, 120)}), so it keeps what they were joined to before; a part can go back to an earlier take (redrive --accept).`;
  return { ...file, oddity };
}

function notJoined(why: string, files: readonly ResultFile[]): Failure {
  const message = `All ${formatPartCount(files.length)} are there and paid for, but cannot be joined: ${why}. Nothing more was charged.`;
  return { class: 'NotJoined', cause: why.slice(0, 120), message: message.slice(0, 500) };
}
