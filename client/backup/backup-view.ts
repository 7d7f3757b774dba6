import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { CopiedMedia } from '../../store/backup/copy-media.ts';
import type { Manifest } from '../../results/backup/manifest.ts';
import { isUsableName } from '../../contract/batch-name.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** Result of `voxbatch backup`. Sizes in bytes. */
export interface BackupView {
  readonly folder: string;
  /** When the ledger was copied. ISO 8601, UTC. */
  readonly madeAt: string;
  /** Path of the ledger that was copied. */
  readonly ledger: string;
  /** Its copy. */
  readonly ledgerFile: { readonly bytes: number; readonly sha256: string };
  readonly batches: number;
  /** Batches that have not ended. */
  readonly open: number;
  readonly rows: number;
  readonly media: {
    /** Address of the store. */
    readonly store: string;
    /** False for a bucket, whose media are not copied. */
    readonly isCopied: boolean;
    readonly files: number;
    readonly bytes: number;
    /** Files that the backup did not have before. */
    readonly newFiles: number;
    readonly newBytes: number;
    /** Files that the ledger names, and neither the store nor the backup has. */
    readonly missing: number;
    /**
     * Files that changed in the store since they were backed up, and do not match their record: the backup keeps the
     * copies that it has. Files whose length and time did not change are not read.
     */
    readonly damaged: number;
  };
  /** When the replaced backup was made; null if there was none. */
  readonly replaces: string | null;
  /** An earlier backup to this folder was killed. */
  readonly wasInterrupted: boolean;
}

/** Facts about this backup that its manifest lacks. */
interface BackupRun extends Pick<CopiedMedia, 'newFiles' | 'newBytes' | 'damaged'> {
  /** Manifest of the replaced backup. */
  readonly former: Manifest | undefined;
  readonly wasInterrupted: boolean;
}

/** Views a finished backup for `--json`. */
export function viewBackup(
  folder: string,
  { made_at: madeAt, ledger, store }: Manifest,
  { former, wasInterrupted, newFiles, newBytes, damaged }: BackupRun,
): BackupView {
  const { place, bytes, sha256, batches, open, rows } = ledger;
  const { files, bytes: mediaBytes, missing, copied: isCopied } = store;
  return {
    folder,
    madeAt,
    ledger: place,
    ledgerFile: { bytes, sha256 },
    batches,
    open,
    rows,
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
    replaces: former?.made_at ?? null,
    wasInterrupted,
  };
}

/** A batch of a backup, with the rows that may have been sent after the backup. */
export interface BackedUpBatch {
  readonly batch: string;
  readonly rows: number;
  readonly state: BatchRecord['state'];
  /** Rows that were waiting when the backup was made: those sent since would be paid for again. */
  readonly waiting: number;
  /**
   * Rows whose job was running or whose result was being fetched: a later step or another try may have been sent since.
   */
  readonly running: number;
  /** Rows with a request that had no answer yet. They become `unknown`: the request is not sent again. */
  readonly inDoubt: number;
}

/** Result of `voxbatch restore`. Sizes in bytes. */
export interface RestoreView {
  readonly folder: string;
  readonly ledger: string;
  readonly madeAt: string;
  readonly batches: readonly BackedUpBatch[];
  /** Rows that were waiting or running, and would be paid for again if they were sent after the backup. */
  readonly mayPayAgain: number;
  readonly media: {
    readonly store: string;
    readonly isCopied: boolean;
    readonly files: number;
    readonly newFiles: number;
    readonly newBytes: number;
    /** Files that the ledger names, and that the store lacks or has with other content. */
    readonly missing: number;
  };
  /** False if this user has neither named nor confirmed the ledger's path; `voxbatch trust` confirms it. */
  readonly isKnown: boolean;
}

/** Reads the batches of a restored ledger, newest first. */
export async function backedUpBatches(
  ledger: Pick<Ledger, 'listBatches' | 'counts'>,
): Promise<readonly BackedUpBatch[]> {
  // A ledger from somebody else may have names that no command can take, such as `../..`.
  const batches = (await ledger.listBatches()).filter(({ name }) => isUsableName(name));
  const seen: BackedUpBatch[] = [];
  for (const { name, rows, state } of batches.toSorted((one, other) => other.number - one.number)) {
    const { states } = await ledger.counts(name);
    seen.push({
      batch: name,
      rows,
      state,
      waiting: states.waiting + states.blocked,
      running: states.processing + states.fetching + states.verifying,
      inDoubt: states.submitting,
    });
  }
  return seen;
}
