import type { Failure } from '../contract/failures.ts';
import type { UsedBy } from '../inputs/voices/voice-uses.ts';
import type { CopyRefusal } from '../ledger/copy/copy-refused.ts';
import type { Difference } from '../ledger/copy/tally.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';
import type { ForgottenRequests, PaidRequests } from '../batches/reconcile/forgotten-requests.ts';
import type { ForgottenResult } from '../batches/reconcile/forgotten-results.ts';
import type { BackupRefusal } from './backup/backup-refusal.ts';
import type { UnknownFolder } from '../batches/reconcile/unknown-folders.ts';

/** Why a call failed. Nothing was spent. */
export type Problem =
  /** An invalid option. `got`: the value, cut. */
  | { readonly type: 'bad-option'; readonly option: string; readonly expected: string; readonly got: string }
  /** No API is configured, or its URL is invalid. */
  | { readonly type: 'no-api'; readonly why: string }
  /** A config file cannot be used; `cause` says why. */
  | { readonly type: 'bad-config'; readonly cause: unknown }
  /** No batch was ever created with these settings. */
  | { readonly type: 'no-ledger'; readonly ledger: string }
  /** There is no batch on record, but the store has media of these `batches`, named as their folders. */
  | {
      readonly type: 'ledger-lost';
      readonly ledger: string;
      readonly store: string;
      readonly batches: readonly string[];
    }
  /** This user has neither made nor confirmed the working folder's ledger on this machine. */
  | { readonly type: 'ledger-unconfirmed'; readonly ledger: string }
  /** The state folder, which records what the user has made and confirmed, cannot be written. */
  | { readonly type: 'state-unwritable'; readonly folder: string; readonly cause: unknown }
  /** There is no batch of this name, or no batch at all if none was named. */
  | { readonly type: 'no-batch'; readonly batch: string | undefined; readonly known: readonly string[] }
  /** The disk, the ledger or the store cannot be used; `cause` says why. */
  | { readonly type: 'machine'; readonly cause: unknown }
  /** The process may only write files up to `mostBytes` (`ulimit -f`). `mayLift`: the user may raise that limit. */
  | { readonly type: 'small-files'; readonly mostBytes: number; readonly mayLift: boolean }
  /** The media in the store belong to another ledger. */
  | { readonly type: 'store-of-another'; readonly store: string; readonly ledger: string }
  /** The ledger has another store, so its results would be in two. */
  | ({ readonly type: 'other-store'; readonly store: string; readonly ledger: string } & StoreFrom)
  /** The store lacks files of the batch and was never this ledger's: a disk is not mounted, or the folder is wrong. */
  | ({
      readonly type: 'store-missing';
      readonly store: string;
      readonly ledger: string;
      readonly batch: string;
    } & StoreFrom)
  /** The out folder cannot be created or written. */
  | { readonly type: 'unwritable-out'; readonly out: string; readonly cause: unknown }
  /** The out folder holds other files, which the batch would overwrite; `by` says whose. */
  | { readonly type: 'taken-out'; readonly out: string; readonly by: string }
  /** The out folder or the store has results of this batch from this ledger, which does not have it on record. */
  | ({ readonly type: 'forgotten-batch'; readonly isSingle: boolean } & ForgottenBatch)
  /** The out folder shows paid requests of the batch that the ledger does not have on record. */
  | ({ readonly type: 'forgotten-requests'; readonly batch: string } & ForgottenRequests)
  /** Receipts in the out folder, of a state newer than the ledger, that cannot all be read; `unread` says why. */
  | ({ readonly type: 'unread-receipts'; readonly batch: string } & Required<
      Pick<ForgottenRequests, 'folders' | 'unread'>
    >)
  /** The store has results of these rows, whose requests the ledger does not have on record. */
  | {
      readonly type: 'forgotten-results';
      readonly batch: string;
      readonly rows: readonly ForgottenResult[];
    }
  /** A folder on the out path is a symbolic link, which may have come with somebody else's folder. */
  | { readonly type: 'linked-out'; readonly path: string }
  /** A symbolic link below the out folder, where rows may already have been paid for. */
  | { readonly type: 'linked-below-out'; readonly path: string; readonly cause: Error }
  /**
   * A folder, a pipe or a device has the name of a file in the out folder, where rows may already have been paid for.
   */
  | { readonly type: 'not-a-file'; readonly path: string; readonly cause: Error }
  /** The batch is still being loaded. */
  | { readonly type: 'loading'; readonly batch: BatchRecord }
  /** The rows' inputs were removed, so the batch can neither be redriven nor written. */
  | { readonly type: 'cleaned'; readonly batch: BatchRecord }
  /** A row has no price, so the batch cannot have a budget. */
  | { readonly type: 'no-price'; readonly batch: string; readonly row: number; readonly id: string }
  /** The embedded Temporal server did not start; `cause` says why. */
  | { readonly type: 'no-server'; readonly cause: Error & { readonly advice: string } }
  /** The Temporal cluster does not answer. */
  | { readonly type: 'no-cluster'; readonly address: string; readonly cause: unknown }
  /** Temporal refuses this client's API key, or requires one. `says`: the server's message. */
  | { readonly type: 'cluster-refused'; readonly address: string; readonly says: string; readonly cause: unknown }
  /** The Temporal cluster has no namespace of this name. */
  | { readonly type: 'no-namespace'; readonly address: string; readonly namespace: string }
  /** Workers of another Temporal server hold the ledger's lock. Two sets of workers could charge a row twice. */
  | { readonly type: 'ledger-in-use'; readonly ledger: string; readonly holder: string }
  /** The ledger cannot be copied to that place, or was copied before. Neither was changed. */
  | ({ readonly type: 'copy-refused'; readonly refusal: CopyRefusal } & CopiedPlaces)
  /** Workers still use one of the two ledgers. `holder`: the name of their server. */
  | { readonly type: 'copy-held'; readonly ledger: string; readonly holder: string }
  /** The copy of a ledger differs from the original. Nothing was moved. */
  | ({ readonly type: 'copy-differs'; readonly differences: readonly Difference[] } & CopiedPlaces)
  /** A backup to the folder, or a restore from it, is refused. Nothing was changed. */
  | { readonly type: 'backup-refused'; readonly folder: string; readonly refusal: BackupRefusal }
  /** Another backup of the ledger is running, or a process works where one is to be restored. */
  | {
      readonly type: 'backup-held';
      readonly ledger: string;
      readonly by: 'backup' | 'work';
      /** The processes that hold the lock, as far as known. */
      readonly pids: readonly number[];
    }
  /** A backup's file differs from its manifest. `why`: continues the file's name, as in "is missing". */
  | { readonly type: 'backup-differs'; readonly file: string; readonly why: string }
  /** Temporal disappeared or stopped answering right after it was found. */
  | { readonly type: 'server-gone'; readonly address: string; readonly cause: Error }
  /** The batch is recorded, but Temporal did not accept it: it hangs, or its disk is full. */
  | { readonly type: 'not-started'; readonly batch: BatchRecord; readonly cause: Error }
  /** The request is recorded, but the workers could not be notified. */
  | { readonly type: 'not-notified'; readonly cause: unknown }
  /** No HTTP header can carry the token. */
  | { readonly type: 'odd-token'; readonly cause: unknown }
  /** The local webhook port cannot be listened on; `code`: the system's error code. */
  | { readonly type: 'no-webhook-port'; readonly host: string; readonly port: number; readonly code: string }
  /** The port for local media cannot be listened on; `code`: the system's error code. */
  | { readonly type: 'no-media-port'; readonly host: string; readonly port: number; readonly code: string }
  /** The port of metrics and probes cannot be listened on; `code`: the system's error code. */
  | { readonly type: 'no-metrics-port'; readonly host: string; readonly port: number; readonly code: string }
  /** The proxy in `HTTPS_PROXY` or `HTTP_PROXY` is unusable, or would see the token. */
  | { readonly type: 'odd-proxy'; readonly cause: Error }
  /** The API refuses the token. */
  | { readonly type: 'token-refused'; readonly apiUrl: string; readonly failure: Failure }
  /** The API does not answer, or does not return the account's profile. */
  | { readonly type: 'api-away'; readonly apiUrl: string; readonly failure: Failure }
  /** The manifest refers to voices by name (`name:…`), and the API's voice list cannot be read to resolve them. */
  | { readonly type: 'voices-unread'; readonly why: string; readonly names: number; readonly first: UsedBy }
  /** The API serves no readable OpenAPI document. */
  | { readonly type: 'no-schema'; readonly apiUrl: string; readonly why: string }
  /** There is no schedule of this name. */
  | { readonly type: 'no-schedule'; readonly schedule: string; readonly known: readonly string[] }
  /** The schedule is on record, but Temporal does not have it. */
  | { readonly type: 'schedule-lost'; readonly schedule: string }
  /** There is a schedule of this name already. */
  | { readonly type: 'schedule-taken'; readonly schedule: string }
  /** Temporal rejects the schedule; `cause` says why. */
  | { readonly type: 'schedule-refused'; readonly schedule: string; readonly cause: Error }
  /** Temporal does not answer; the schedule may or may not have been changed. */
  | { readonly type: 'schedule-silent'; readonly schedule: string | undefined; readonly cause: Error }
  /** The batch belongs to another API or account than this token. */
  | {
      readonly type: 'other-realm';
      readonly differs: 'api' | 'account';
      readonly batch: Pick<BatchRecord, 'name' | 'apiUrl' | 'account'>;
      readonly here: { readonly apiUrl: string; readonly account: string };
    };

/**
 * Evidence that a batch of this name has run which the ledger lacks, as after a restore: it would be paid for again.
 */
export interface ForgottenBatch {
  readonly batch: string;
  /** Its out folder, with what is on the receipts there; null if that shows nothing. */
  readonly receipts: (PaidRequests & { readonly out: string }) | null;
  /** Folders in the store with results of a batch of this name. */
  readonly folders: readonly UnknownFolder[];
}

/** The two sides of a copy. */
interface CopiedPlaces {
  readonly from: string;
  readonly to: string;
}

/** `isUnset`: the command runs without `VOXBATCH_STORE`, so the store is the default one in the home. Default: no. */
export interface StoreFrom {
  readonly isUnset?: boolean;
}
