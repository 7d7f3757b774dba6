import { createHash } from 'node:crypto';
import { partWord } from '../../contract/row-parts.ts';
import type { Failure } from '../../contract/failures.ts';
import type { BatchRecord, ResultFile, RowStanding } from '../../ledger/record-types.ts';
import type { WholeRow } from '../../ledger/row-methods.ts';
import { attemptOfFile, lostFile } from '../../policy/lost-file.ts';
import { StoreUnwritable } from '../../store/errors.ts';
import { joinedStemOf } from '../../store/layout.ts';
import type { Joined } from '../../store/store.ts';
import { loadBatch } from '../batch-cache.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Joins the parts of a row into its result. Free, and needs no network: so it is done even while the batch is paused or
 * stops. Killed in between, the next holder of the row does it again, to the same name. If a part changes meanwhile, the
 * ledger refuses the file, and the row waits for its parts again.
 */
export async function joinRow(
  deps: Pick<Dependencies, 'ledger' | 'store' | 'log' | 'atFaultPoint'> & Parameters<typeof loadBatch>[0],
  batchName: string,
  { row }: RowStanding,
): Promise<void> {
  const whole: WholeRow = { batch: batchName, row: row.row, fence: row.fence };
  const batch = await loadBatch(deps, batchName);
  const parts = await deps.ledger.partsOf(batchName, row.row);
  const files = parts.flatMap((part) => part.row.file ?? []);
  // A part was opened again since the row was claimed.
  if (files.length !== row.parts) return;
  const stem = stemFor(batch, row.row, files);
  const joined = await joinThem(deps, files, stem);
  if (joined.type === 'damaged') {
    const before = await joinedBefore(deps, whole, stem);
    if (before !== undefined) {
      await deps.ledger.endWhole(whole, { file: before });
      return;
    }
    const part = parts[joined.at];
    if (part === undefined) throw new Error(`Expected a part at place ${joined.at} of row ${row.row}.`);
    const brought = attemptOfFile(part.charges, part.row.file?.key);
    await deps.ledger.losePart(whole, part.row.row, lostFile(joined.is, brought, ', so the parts cannot be joined'));
    return;
  }
  await deps.atFaultPoint('before-join-record');
  await deps.ledger.endWhole(
    whole,
    joined.type === 'joined' ? { file: joined.file } : { failure: notJoined(joined.why, files) },
  );
}

/** What the row was joined to before, of the same parts, if it is still there as it is on record. */
async function joinedBefore(
  { ledger, store }: Pick<Dependencies, 'ledger' | 'store'>,
  { batch, row }: WholeRow,
  stem: string,
): Promise<ResultFile | undefined> {
  const files = (await ledger.takesOf(batch, row)).flatMap(({ before }) => before.file ?? []);
  const file = files.findLast(({ key }) => key.startsWith(`${stem}.`));
  if (file === undefined) return undefined;
  const there = await store.find(stem, { family: 'audio', extension: file.extension });
  return there?.sha256 === file.sha256 ? file : undefined;
}

/** Only an unwritable store is the lane's business. */
async function joinThem(
  { store, log }: Pick<Dependencies, 'store' | 'log'>,
  files: readonly ResultFile[],
  stem: string,
): Promise<Joined> {
  try {
    return await store.join(files, stem);
  } catch (error) {
    if (error instanceof StoreUnwritable) throw error;
    const why = error instanceof Error ? error.message : String(error);
    log.error({ stem, error: why }, 'parts cannot be joined');
    return { type: 'unjoinable', why };
  }
}

/** A name that says what is in the file: whoever joins the same files makes the same name. */
function stemFor({ layout }: BatchRecord, row: number, files: readonly ResultFile[]): string {
  const hash = createHash('sha256');
  for (const { sha256 } of files) hash.update(sha256);
  return joinedStemOf(layout, row, hash.digest('hex'));
}

function notJoined(why: string, files: readonly ResultFile[]): Failure {
  const message = `All ${partWord(files.length)} are there and paid for, but cannot be joined: ${why}. Nothing more was charged.`;
  return { class: 'NotJoined', cause: why.slice(0, 120), message: message.slice(0, 500) };
}
