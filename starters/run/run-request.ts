import type { Pilot } from '../../batches/subset/pilot.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import type { EarlyServer } from '../../client/temporal/early-server.ts';
import type { LedgerThread } from '../../ledger/ledger-in-thread.ts';
import type { Settings } from '../../client/settings.ts';
import type { RunFlags, RunPlan } from './run-options.ts';

/** What is known before the manifest is read. */
export interface RunRequest {
  /** As typed. */
  readonly manifestPath: string;
  readonly source: ManifestSource;
  readonly flags: RunFlags;
  readonly settings: Settings;
  readonly plan: RunPlan;
  /** The embedded server, if it was started early. */
  readonly server: EarlyServer | undefined;
  /** The thread of the ledger, if it was begun early. */
  readonly ledgerThread: LedgerThread | undefined;
  /** Called with what a finished sample shows of the rest of the batch. */
  readonly onPilot?: (pilot: Pilot) => void;
  /** The person has agreed to the price of the rows that were left out before. Default false. */
  readonly isAgreed?: boolean;
}
