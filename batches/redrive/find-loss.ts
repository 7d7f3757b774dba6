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
import { isIntact } from '../../results/files.ts';
import type { Store } from '../../store/store.ts';

/**
 * Checks whether the store still has the correct content of media that `verify` found wrong; if not, writing the files
 * again cannot help. Undefined if this ledger does not know the batch, because files may be verified anywhere.
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
    const is = await isIntact(file, store);
    const isRemoved = is === 'missing' && found.file?.removedAt !== undefined;
    if (is !== 'intact') damaged.set(row, { row, id: found.id, is: isRemoved ? 'removed' : is });
  }
  return [...damaged.values()];
}

/** Stored files, to be read. */
export type ReadFiles = Pick<Store, 'read'>;

/** The store that files are looked for in. */
export interface SearchedStore {
  readonly files: ReadFiles;
  /** Called before a file is taken for lost. Throws if the store is not that of the ledger, which then lost nothing. */
  readonly requireOwn: () => Promise<void>;
  /** Called for each lost text that is known without the API, to be stored again. Default: it only counts as there. */
  readonly rewrite?: (text: StoredText) => Promise<void>;
}

/** How the stored file of a row is lost, and whether a redrive brings it back free. */
export interface LostFile {
  readonly is: FileLoss;
  readonly isFree: boolean;
}

/**
 * Looks for the stored file of a row. Undefined: it is there, there is none, or the store is not the ledger's, where
 * none is lost. `parts`: those of the row, which are joined again if its file is lost; theirs may be lost, too.
 */
export async function findLoss(
  standing: RowSnapshot,
  store: SearchedStore,
  parts: readonly RowSnapshot[] = [],
): Promise<LostFile | undefined> {
  const { outcome } = standing.row;
  if (!hasResult(outcome) && outcome !== 'unfit') return undefined;
  const { is, was } = await lossOf(standing.row, store.files);
  if (was === undefined) return undefined;
  const isOwn = await store.requireOwn().then(
    () => true,
    () => false,
  );
  if (!isOwn) return undefined;
  if (is !== undefined && !isBroughtBackFree(standing, is)) return { is: was, isFree: false };
  const ofParts = await Promise.all(parts.map(async (part) => findLoss(part, store)));
  return { is: was, isFree: ofParts.every((loss) => loss?.isFree !== false) };
}

/** Whether a redrive brings the lost file of a row back, free. */
export function isBroughtBackFree(standing: RowSnapshot, is: FileLoss): boolean {
  const { row, charges } = without({ scanned: standing, edit: null }, is).scanned;
  return isFetchedFree(row, charges);
}

/** What is on record of the files of a row. */
export type RowFiles = Pick<RowRecord, 'file' | 'extraFiles' | 'text'>;

/** What a row has lost. */
interface Loss {
  /** How its first lost file is lost that is not one of `texts`. */
  readonly is?: FileLoss;
  /** How its first lost file is lost. */
  readonly was?: FileLoss;
  /** Its lost texts that are known all the same. */
  readonly texts: readonly StoredText[];
}

/** Files that were removed on purpose are not lost. */
export async function lossOf(row: RowFiles, store: ReadFiles): Promise<Loss> {
  const { file, extraFiles } = row;
  const texts: StoredText[] = [];
  let was: FileLoss | undefined;
  if (file === null || file.removedAt !== undefined) return { texts };
  for (const one of [file, ...extraFiles]) {
    const is = await isIntact(one, store);
    if (is === 'intact') continue;
    was ??= is;
    const text = await lostText(row, one, store);
    if (text === undefined) return { is, was, texts };
    texts.push(text);
  }
  return { texts, ...defined({ was }) };
}

/** The row as it is without its result. `isJoined`: it is a part, and its row has its joined file. */
export function without(found: FoundRow, is: FileLoss, isJoined = false): FoundRow {
  const { row, charges }: RowSnapshot = found.scanned;
  const brought = row.parts === null ? attemptOfFile(charges, row.file?.key) : undefined;
  const failure = lostFile(is, row.parts === null ? brought : 'joined');
  const scanned = {
    row: { ...row, outcome: 'failed', failure, file: null } as const,
    charges: charges.map((charge) => (charge === brought ? { ...charge, failure } : charge)),
  };
  return { ...found, scanned, lost: { failure, outcome: row.outcome, isJoined } };
}

/** A stored text, word for word. */
export interface StoredText {
  readonly file: ResultFile;
  readonly text: string;
}

/**
 * What a lost file of a transcript was: its text is in the row's record, and each form of its subtitles can be written
 * from the other. Undefined: what comes of that is not what its hash says, so only the API could tell.
 */
async function lostText(
  row: Pick<RowRecord, 'text' | 'extraFiles'>,
  file: ResultFile,
  store: ReadFiles,
): Promise<StoredText | undefined> {
  const text = await writtenAgain(row, file, store);
  const isSame = text !== undefined && createHash('sha256').update(text).digest('hex') === file.sha256;
  return isSame ? { file, text } : undefined;
}

async function writtenAgain(
  { text, extraFiles }: Pick<RowRecord, 'text' | 'extraFiles'>,
  { extension }: ResultFile,
  store: ReadFiles,
): Promise<string | undefined> {
  const other = async (form: 'srt' | 'vtt'): Promise<string | undefined> => {
    const there = extraFiles.find((one) => one.extension === form);
    // A damaged one makes another text than the hash says.
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
