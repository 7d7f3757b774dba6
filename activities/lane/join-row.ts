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
 * Joins the parts of a row into its result. Free and offline, so it runs even while the batch is paused or stopping.
 * After a kill, the row's next holder repeats it under the same name. If a part changes meanwhile, the ledger refuses
 * the file, and the row waits for its parts again. Returns the row as it is then; undefined if nothing was recorded of
 * it.
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
  // A part was reopened since the row was claimed.
  if (files.length !== row.parts) return undefined;
  const stem = stemFor(batch, row.row, files);
  const joined = await joinThem(deps, whole, files, stem);
  if (joined.type === 'damaged') {
    const before = await joinedBefore(deps, whole, ({ key }) => key.startsWith(`${stem}.`));
    if (before !== undefined) return deps.ledger.endSplitRow(whole, { file: before });
    const part = parts[joined.at];
    if (part === undefined) throw new Error(`Expected a part at place ${joined.at} of row ${row.row}.`);
    const brought = attemptOfFile(part.charges, part.row.file?.key);
    await deps.ledger.failLostPart(
      whole,
      part.row.row,
      lostFile(joined.is, brought, ', so the parts cannot be joined'),
    );
    return undefined;
  }
  if (joined.type === 'unjoinable') {
    // A new take of a part must not cost the row its earlier file.
    const before = await joinedBefore(deps, whole, () => true);
    const end =
      before === undefined ? { failure: notJoined(joined.why, files) } : { file: keptWith(before, joined.why) };
    return deps.ledger.endSplitRow(whole, end);
  }
  await deps.atFaultPoint('before-join-record');
  return deps.ledger.endSplitRow(whole, { file: joined.file });
}

/** The row's last joined file that matches and is still stored as recorded. */
async function joinedBefore(
  { ledger, store }: Pick<Dependencies, 'ledger' | 'store'>,
  { batch, row }: SplitRow,
  isMeant: (file: ResultFile) => boolean,
): Promise<ResultFile | undefined> {
  const files = (await ledger.takesOf(batch, row)).flatMap(({ before }) => before.file ?? []);
  const file = files.findLast(isMeant);
  if (file === undefined) return undefined;
  const stem = file.key.slice(0, -`.${file.extension}`.length);
  const there = await store.find(stem, { family: 'audio', extension: file.extension });
  return there?.sha256 === file.sha256 ? file : undefined;
}

/** Returns the failure to join; only an unwritable store throws, since that concerns the whole lane. */
async function joinThem(
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

/** A name derived from the contents: joining the same files always gives the same name. */
function stemFor({ layout }: BatchRecord, row: number, files: readonly ResultFile[]): string {
  const hash = createHash('sha256');
  for (const { sha256 } of files) hash.update(sha256);
  return joinedStemOf(layout, row, hash.digest('hex'));
}

/** The kept file, with a note of why the row keeps it. */
function keptWith(file: ResultFile, why: string): ResultFile {
  const oddity = `Its parts as they are now cannot be joined (${why.slice(0, 120)}), so it keeps what they were joined to before; a part can go back to an earlier take (redrive --accept).`;
  return { ...file, oddity };
}

function notJoined(why: string, files: readonly ResultFile[]): Failure {
  const message = `All ${formatPartCount(files.length)} are there and paid for, but cannot be joined: ${why}. Nothing more was charged.`;
  return { class: 'NotJoined', cause: why.slice(0, 120), message: message.slice(0, 500) };
}
