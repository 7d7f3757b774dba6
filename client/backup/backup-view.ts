import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { CopiedMedia } from '../../store/backup/copy-media.ts';
import type { Manifest } from '../../results/backup/manifest.ts';
import { isUsableName } from '../../contract/batch-name.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** `voxbatch backup`. Sizes in bytes. */
export interface BackupView {
  readonly folder: string;
  /** The moment of which the ledger in it is. */
  readonly madeAt: string;
  /** Where the ledger is that was copied. */
  readonly ledger: string;
  /** The copy. */
  readonly ledgerFile: { readonly bytes: number; readonly sha256: string };
  readonly batches: number;
  readonly open: number;
  readonly rows: number;
  readonly media: {
    /** Where they are. */
    readonly store: string;
    /** False for a bucket, whose media are not copied. */
    readonly isCopied: boolean;
    readonly files: number;
    readonly bytes: number;
    /** Those that the folder did not have. */
    readonly newFiles: number;
    readonly newBytes: number;
    /** Files that the ledger names, and neither the store nor the folder has. */
    readonly missing: number;
    /**
     * Files that the store has not as recorded: the backup keeps those that it had. Others are not read to find that
     * out.
     */
    readonly damaged: number;
  };
  /** The moment of the backup that it replaces; null if there was none. */
  readonly replaces: string | null;
  /** An earlier backup into this folder was killed. */
  readonly wasInterrupted: boolean;
}

interface Further extends Pick<CopiedMedia, 'newFiles' | 'newBytes' | 'damaged'> {
  readonly former: Manifest | undefined;
  readonly wasInterrupted: boolean;
}

export function viewBackup(
  folder: string,
  { made_at: madeAt, ledger, store }: Manifest,
  { former, wasInterrupted, newFiles, newBytes, damaged }: Further,
): BackupView {
  const { place, bytes, sha256, batches, open, rows } = ledger;
  const { files, bytes: mediaBytes, missing, copied: isCopied } = store;
  return {
    ...{ folder, madeAt, ledger: place, ledgerFile: { bytes, sha256 }, batches, open, rows },
    media: {
      store: store.place,
      isCopied,
      files,
      bytes: mediaBytes,
      newFiles,
      newBytes,
      missing,
      damaged: damaged.length,
    },
    ...{ replaces: former?.made_at ?? null, wasInterrupted },
  };
}

/** A batch of a backup, and what of it may have been sent since. */
export interface BackedUpBatch {
  readonly batch: string;
  readonly rows: number;
  readonly state: BatchRecord['state'];
  /** Rows that waited at that moment: whatever of them was sent since would be paid for again. */
  readonly waiting: number;
  /** Rows whose job ran or whose result was being fetched: a later step, or another try, may have been sent since. */
  readonly running: number;
  /** Rows with a request that had no answer yet. It is not sent again: they become unknown. */
  readonly inDoubt: number;
}

/** `voxbatch restore`. */
export interface RestoreView {
  readonly folder: string;
  readonly ledger: string;
  readonly madeAt: string;
  readonly batches: readonly BackedUpBatch[];
  /** Rows that would be paid for again if they were sent since: those that waited or ran. */
  readonly mayPayAgain: number;
  readonly media: {
    readonly store: string;
    readonly isCopied: boolean;
    readonly files: number;
    readonly newFiles: number;
    readonly newBytes: number;
    /** Files that the ledger names, and the store does not have, or not as recorded. */
    readonly missing: number;
  };
  /** False if this user has neither named nor confirmed the place of the ledger: `voxbatch trust`. */
  readonly isKnown: boolean;
}

/** The batches of a backup, the newest first, with the rows of each that may have been sent since. */
export async function backedUpBatches(
  ledger: Pick<Ledger, 'listBatches' | 'counts'>,
): Promise<readonly BackedUpBatch[]> {
  const batches = (await ledger.listBatches()).filter(({ name }) => isUsableName(name));
  const seen: BackedUpBatch[] = [];
  for (const { name, rows, state } of batches.toSorted((one, other) => other.number - one.number)) {
    const { states } = await ledger.counts(name);
    seen.push({
      ...{ batch: name, rows, state },
      waiting: states.waiting + states.blocked,
      running: states.processing + states.fetching + states.verifying,
      inDoubt: states.submitting,
    });
  }
  return seen;
}
