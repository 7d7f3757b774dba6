import { createHash } from 'node:crypto';
import { text as textOf } from 'node:stream/consumers';
import type { Ledger } from '../../ledger/ledger.ts';
import type { DamagedResult } from '../../results/verification/row-check.ts';
import type { VerifyReport } from '../../results/verification/verify.ts';
import { defined } from '../../contract/defined.ts';
import { hasResult } from '../../contract/outcomes.ts';
import type { ResultFile } from '../../ledger/records.ts';
import type { RowRecord, RowSnapshot } from '../../ledger/rows/row-records.ts';
import type { FileLoss } from '../../contract/file-loss.ts';
import { attemptOfFile, lostFile } from '../../policy/redrive/lost-file.ts';
import { isFetchedFree } from '../../policy/redrive/redrive.ts';
import type { FoundRow } from './selection.ts';
import { readSubtitles, toSrt, toVtt } from '../../results/subtitles.ts';
import { checkStored } from '../../results/files.ts';
import type { Store } from '../../store/store.ts';

/*
 * Finds stored files that rows have lost or that differ from their recorded hashes, and whether a redrive brings them
 * back without paying: by reading their job again, or, for a text, from the row's record.
 */

/**
 * Returns the rows whose media `verify` found wrong and whose content the store has lost, too, so that writing the
 * files again cannot help. Undefined if this ledger does not know the batch: files may be verified anywhere.
 */
export async function findDamaged(
  { batch, wrongMedia }: Pick<VerifyReport, 'batch' | 'wrongMedia'>,
  { ledger, store }: { readonly ledger: Ledger; readonly store: ReadFiles },
): Promise<readonly DamagedResult[] | undefined> {
  if (batch === undefined || (await ledger.findBatch(batch)) === undefined) return undefined;
  const damaged = new Map<number, DamagedResult>();
  for (const { row, sha256 } of wrongMedia) {
    const found = (await ledger.readRow(batch, row))?.row;
    const file = [found?.file, ...(found?.extraFiles ?? [])].find((one) => one?.sha256 === sha256);
    if (found === undefined || file == null) continue;
    const is = await checkStored(file, store);
    const isRemoved = is === 'missing' && found.file?.removedAt !== undefined;
    if (is !== 'intact') damaged.set(row, { row, id: found.id, is: isRemoved ? 'removed' : is });
  }
  return [...damaged.values()];
}

/** The part of a store that reads files. */
export type ReadFiles = Pick<Store, 'read'>;

/** The store in which to look for files. */
export interface SearchedStore {
  readonly files: ReadFiles;
  /** Called before a file counts as lost. Throws if the store is not the ledger's own; then nothing is lost. */
  readonly requireOwn: () => Promise<void>;
  /** Stores a lost text again whose content is known from the ledger. Default: the text counts as present. */
  readonly rewrite?: (text: StoredText) => Promise<void>;
}

/** A lost stored file. */
export interface LostFile {
  readonly is: FileLoss;
  /** Whether a redrive brings the file back without paying. */
  readonly isFree: boolean;
}

/**
 * Checks the stored file of a row. Undefined if it is intact, if the row has none, or if the store is not the ledger's
 * own. `parts`: the row's parts, which are joined again if its file is lost; their files may be lost, too.
 */
export async function findLoss(
  snapshot: RowSnapshot,
  store: SearchedStore,
  parts: readonly RowSnapshot[] = [],
): Promise<LostFile | undefined> {
  const { outcome } = snapshot.row;
  if (!hasResult(outcome) && outcome !== 'unfit') return undefined;
  const { is, firstLoss } = await lossOf(snapshot.row, store.files);
  if (firstLoss === undefined) return undefined;
  const isOwn = await store.requireOwn().then(
    () => true,
    () => false,
  );
  if (!isOwn) return undefined;
  // Without `is`, only texts are lost that the ledger has.
  if (is !== undefined && !isBroughtBackFree(snapshot, is)) return { is: firstLoss, isFree: false };
  const ofParts = await Promise.all(parts.map(async (part) => findLoss(part, store)));
  return { is: firstLoss, isFree: ofParts.every((loss) => loss?.isFree !== false) };
}

/** Returns whether a redrive brings the lost file of a row back without paying. */
export function isBroughtBackFree(snapshot: RowSnapshot, is: FileLoss): boolean {
  const { row, charges } = withoutResult({ scanned: snapshot, edit: null }, is).scanned;
  return isFetchedFree(row, charges);
}

/** The part of a row's record that describes its files. */
export type RowFiles = Pick<RowRecord, 'file' | 'extraFiles' | 'text'>;

/** What a row has lost. */
interface Loss {
  /** How the first lost file is lost that is not one of `texts`; omitted if there is none. */
  readonly is?: FileLoss;
  /** How the first lost file is lost, `texts` included. */
  readonly firstLoss?: FileLoss;
  /** Lost files whose text is known from the row's record. */
  readonly texts: readonly StoredText[];
}

/** Checks all stored files of a row against their hashes. Files that were removed on purpose do not count as lost. */
export async function lossOf(row: RowFiles, store: ReadFiles): Promise<Loss> {
  const { file, extraFiles } = row;
  const texts: StoredText[] = [];
  let firstLoss: FileLoss | undefined;
  if (file === null || file.removedAt !== undefined) return { texts };
  for (const one of [file, ...extraFiles]) {
    const is = await checkStored(one, store);
    if (is === 'intact') continue;
    firstLoss ??= is;
    const text = await lostText(row, one, store);
    if (text === undefined) return { is, firstLoss, texts };
    texts.push(text);
  }
  return { texts, ...defined({ firstLoss }) };
}

/**
 * Returns the row as if it had failed for want of its file, so that a redrive fetches the file again. `isJoined`: the
 * row is a part, and the row that it belongs to has its joined file.
 */
export function withoutResult(found: FoundRow, is: FileLoss, isJoined = false): FoundRow {
  const { row, charges }: RowSnapshot = found.scanned;
  const maker = row.parts === null ? attemptOfFile(charges, row.file?.key) : undefined;
  const failure = lostFile(is, row.parts === null ? maker : 'joined');
  const scanned = {
    row: { ...row, outcome: 'failed', failure, file: null } as const,
    charges: charges.map((charge) => (charge === maker ? { ...charge, failure } : charge)),
  };
  return { ...found, scanned, lost: { failure, outcome: row.outcome, isJoined } };
}

/** A stored text, word for word. */
export interface StoredText {
  readonly file: ResultFile;
  readonly text: string;
}

/**
 * Returns the text of a lost transcript file: the transcript is in the row's record, and `.srt` and `.vtt` subtitles
 * can each be made from the other. Undefined if the result does not match the recorded hash; then only the API has it.
 */
async function lostText(
  row: Pick<RowRecord, 'text' | 'extraFiles'>,
  file: ResultFile,
  store: ReadFiles,
): Promise<StoredText | undefined> {
  const text = await remakeText(row, file, store);
  const isSame = text !== undefined && createHash('sha256').update(text).digest('hex') === file.sha256;
  return isSame ? { file, text } : undefined;
}

/** Makes the text of a transcript file anew; undefined if its source is lost, too, or for other types of files. */
async function remakeText(
  { text, extraFiles }: Pick<RowRecord, 'text' | 'extraFiles'>,
  { extension }: ResultFile,
  store: ReadFiles,
): Promise<string | undefined> {
  const other = async (form: 'srt' | 'vtt'): Promise<string | undefined> => {
    const there = extraFiles.find((one) => one.extension === form);
    // It may be damaged; the caller checks the hash of what is made from it.
    return (
      there &&
      store
        .read(there.key)
        .then(textOf)
        .catch(() => undefined)
    );
  };
  switch (extension) {
    case 'txt':
      return text === null ? undefined : `${text}\n`;
    case 'srt': {
      const vtt = await other('vtt');
      return vtt && toSrt(readSubtitles(vtt, 'vtt'));
    }
    case 'vtt': {
      const srt = await other('srt');
      return srt && toVtt(readSubtitles(srt, 'srt'));
    }
    default:
      return undefined;
  }
}
