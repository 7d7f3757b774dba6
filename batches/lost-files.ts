import { defined } from '../contract/defined.ts';
import { hasResult } from '../contract/outcomes.ts';
import type { RowRecord, RowStanding } from '../ledger/record-types.ts';
import { attemptOfFile, jobOfFile, lostFile, type FileLoss } from '../policy/lost-file.ts';
import { isFetchedFree, lostAttempt } from '../policy/redrive.ts';
import { storedContent } from './damaged-results.ts';
import { lostText, type StoredText } from './lost-texts.ts';
import type { FoundRow, FoundRows, RedriveRules } from './redrive-draft.ts';

/** The store that files are looked for in. */
export interface SearchedStore {
  /** The store's folder. */
  readonly folder: string;
  /** Called before a file is taken for lost. Throws if the store is not that of the ledger, which then lost nothing. */
  readonly requireOwn: () => Promise<void>;
  /** Called for each lost text that is known without the API, to be stored again. Default: it only counts as there. */
  readonly rewrite?: (text: StoredText) => Promise<void>;
}

/**
 * The rows of a redrive, as the store has them. If it replaces results, rows whose stored file is not what is on record
 * come as what they are: rows without a result. So what was paid for is fetched again, free, before anything is paid for.
 * Rows whose lost file is back come as `restored`. With `damaged`, only these two, and rows whose lost file did not pass a
 * check, where it is fetched again free. A text that is known without the API is no loss; with `damaged` it is stored again.
 *
 * Each file is read once, however often the rows are: to announce a redrive, and to carry it out. A file may change in
 * between, and that does no harm: one that is back by then is fetched again, free, and the next redrive finds one that was
 * lost since.
 */
export function withLostFiles(
  rows: FoundRows,
  store: SearchedStore,
  { replace, damaged = false, step, accept }: RedriveRules,
): FoundRows {
  if (step !== null || accept) return rows;
  const losses = new Map<number, FileLoss | undefined>();
  const lossOnce = async (row: number, files: RowFiles): Promise<FileLoss | undefined> => {
    if (losses.has(row)) return losses.get(row);
    const { is, texts } = await lossOf(files, store.folder);
    losses.set(row, is);
    if (!damaged || is !== undefined || texts.length === 0) return is;
    await store.requireOwn();
    for (const text of texts) await store.rewrite?.(text);
    return is;
  };
  const asStored = async (found: FoundRow): Promise<FoundRow> => {
    const { row, charges } = found.scanned;
    if (found.edit !== null || row.outcome === null) return found;
    const isWell = hasResult(row.outcome);
    const isKept = isWell ? replace || damaged : damaged && row.outcome === 'unfit';
    const is = isKept ? await lossOnce(row.row, row) : undefined;
    if (is !== undefined) {
      await store.requireOwn();
      // Of a result that did not pass, nobody has asked for another one.
      return isWell || isBroughtBackFree(found.scanned, is) ? without(found, is) : found;
    }
    if (isWell) return found;
    const lost = lostAttempt(charges);
    if (lost?.file == null || jobOfFile(lost) === undefined) return found;
    const isThere = (await lossOnce(row.row, { file: lost.file, extraFiles: [], text: null })) === undefined;
    return isThere ? { ...found, restored: true } : found;
  };
  return {
    async *[Symbol.asyncIterator]() {
      for await (const found of rows) {
        const stored = await asStored(found);
        if (!damaged || stored !== found) yield stored;
      }
    },
  };
}

/** How the stored file of a row is lost, and whether a redrive brings it back free. */
export interface LostFile {
  readonly is: FileLoss;
  readonly isFree: boolean;
}

/** Looks for the stored file of a row. Undefined: it is there, there is none, or the store is not the ledger's, where none is lost. */
export async function findLoss(standing: RowStanding, store: SearchedStore): Promise<LostFile | undefined> {
  const { outcome } = standing.row;
  if (!hasResult(outcome) && outcome !== 'unfit') return undefined;
  const { is, was } = await lossOf(standing.row, store.folder);
  if (was === undefined) return undefined;
  const isOwn = await store.requireOwn().then(
    () => true,
    () => false,
  );
  return isOwn ? { is: was, isFree: is === undefined || isBroughtBackFree(standing, is) } : undefined;
}

/** Whether a redrive brings the lost file of a row back, free. */
export function isBroughtBackFree(standing: RowStanding, is: FileLoss): boolean {
  const { row, charges } = without({ scanned: standing, edit: null }, is).scanned;
  return isFetchedFree(row, charges);
}

type RowFiles = Pick<RowRecord, 'file' | 'extraFiles' | 'text'>;

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
async function lossOf(row: RowFiles, folder: string): Promise<Loss> {
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

/** The row as it is without its result. */
function without(found: FoundRow, is: FileLoss): FoundRow {
  const { row, charges }: RowStanding = found.scanned;
  const brought = row.parts === null ? attemptOfFile(charges, row.file?.key) : undefined;
  const failure = lostFile(is, brought);
  const scanned = {
    row: { ...row, outcome: 'failed', failure, file: null } as const,
    charges: charges.map((charge) => (charge === brought ? { ...charge, failure } : charge)),
  };
  return { ...found, scanned, lost: { failure, outcome: row.outcome } };
}
