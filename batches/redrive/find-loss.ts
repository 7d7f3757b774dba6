import { defined } from '../../contract/defined.ts';
import { hasResult } from '../../contract/outcomes.ts';
import type { RowRecord, RowStanding } from '../../ledger/record-types.ts';
import { attemptOfFile, lostFile, type FileLoss } from '../../policy/redrive/lost-file.ts';
import { isFetchedFree } from '../../policy/redrive/redrive.ts';
import { storedContent } from './damaged-results.ts';
import { lostText, type StoredText } from './lost-texts.ts';
import type { FoundRow } from './found-rows.ts';

/** The store that files are looked for in. */
export interface SearchedStore {
  /** The store's folder. */
  readonly folder: string;
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
 * Looks for the stored file of a row. Undefined: it is there, there is none, or the store is not the ledger's, where none
 * is lost. `parts`: those of the row, which are joined again if its file is lost; theirs may be lost, too.
 */
export async function findLoss(
  standing: RowStanding,
  store: SearchedStore,
  parts: readonly RowStanding[] = [],
): Promise<LostFile | undefined> {
  const { outcome } = standing.row;
  if (!hasResult(outcome) && outcome !== 'unfit') return undefined;
  const { is, was } = await lossOf(standing.row, store.folder);
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
export function isBroughtBackFree(standing: RowStanding, is: FileLoss): boolean {
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
export async function lossOf(row: RowFiles, folder: string): Promise<Loss> {
  const { file, extraFiles } = row;
  const texts: StoredText[] = [];
  let was: FileLoss | undefined;
  if (file === null || file.removedAt !== undefined) return { texts };
  for (const one of [file, ...extraFiles]) {
    const content = await storedContent(folder, one);
    if (content === one.sha256) continue;
    const is = content === undefined ? 'missing' : 'altered';
    was ??= is;
    const text = await lostText(row, one, folder);
    if (text === undefined) return { is, was, texts };
    texts.push(text);
  }
  return { texts, ...defined({ was }) };
}

/** The row as it is without its result. `isJoined`: it is a part, and its row has its joined file. */
export function without(found: FoundRow, is: FileLoss, isJoined = false): FoundRow {
  const { row, charges }: RowStanding = found.scanned;
  const brought = row.parts === null ? attemptOfFile(charges, row.file?.key) : undefined;
  const failure = lostFile(is, row.parts === null ? brought : 'joined');
  const scanned = {
    row: { ...row, outcome: 'failed', failure, file: null } as const,
    charges: charges.map((charge) => (charge === brought ? { ...charge, failure } : charge)),
  };
  return { ...found, scanned, lost: { failure, outcome: row.outcome, isJoined } };
}
