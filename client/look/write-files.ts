import { resolve } from 'node:path';
import { defaultOut } from '../../contract/batch-name.ts';
import { gatherLeftovers } from '../../batches/look/leftovers.ts';
import { exitOfView } from '../../batches/look/view-batch.ts';
import { viewPilot, type Pilot } from '../../batches/subset/pilot.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { projectBatch, type Projection, type ProjectionRequest } from '../../results/project.ts';
import { describeMismatch } from '../../results/verification/mismatch.ts';
import { refuseCleaned } from '../clean/clean.ts';
import { openStore } from '../../store/open-store.ts';
import { claimOut } from '../run/out-folder.ts';
import type { Settings } from '../settings.ts';
import { voxbatchVersion } from '../version.ts';
import type { Finished } from './next-steps.ts';

/** Which files to write, and where. */
export interface WriteRequest extends Pick<ProjectionRequest, 'onFilesMade'> {
  readonly ledger: Ledger;
  readonly settings: Pick<Settings, 'store' | 'env'>;
  /** Default: that of the settings, which is only read. */
  readonly store?: ProjectionRequest['store'];
  readonly batch: BatchRecord;
  /** The folder, created if needed. Default: the usual one of the batch. */
  readonly out?: string | undefined;
}

/** The files of a batch, and how it stands. */
export interface WrittenFiles extends Projection {
  readonly batch: BatchRecord;
  /** Absolute. */
  readonly out: string;
  /** Its exit code, or that something does not add up. */
  readonly exit: ExitName;
  /** What does not add up, each in words. */
  readonly faults: readonly string[];
}

/**
 * Writes the tables, the summary and the media of a batch in their current state. Can be repeated at any time, even while
 * the batch runs. Throws {@link VoxbatchError} (`cleaned`, `unwritable-out`, `taken-out`, `linked-out`).
 */
export async function writeFiles(request: WriteRequest): Promise<WrittenFiles> {
  const { ledger, batch, out: folder } = request;
  refuseCleaned(batch);
  const out = resolve(folder ?? defaultOut(batch.name));
  await claimOut(out, batch, ledger);
  return writeClaimed({ ...request, out });
}

/**
 * The same into the folder of a batch that was worked on, which was claimed before anything was paid for. Throws what the
 * disk throws.
 */
export async function writeClaimed(request: WriteRequest & { readonly out: string }): Promise<WrittenFiles> {
  const { ledger, settings, batch, out, onFilesMade } = request;
  const complete = batch.state === 'closed';
  const store = request.store ?? (await openStore(settings.store, settings.env));
  const names = { batch: batch.name, out, complete, voxbatchVersion: voxbatchVersion() };
  const made = await projectBatch({ ledger, store, onFilesMade, ...names });
  const { counts, mismatches } = made;
  return {
    ...made,
    batch,
    out,
    exit: exitOfView({ batch, counts }, mismatches.length > 0),
    faults: mismatches.map(describeMismatch),
  };
}

/** What the end of a run is told by. */
export interface EndOfRun extends Finished {
  readonly batch: BatchRecord;
  readonly pilot: Pilot | undefined;
}

/** The same with what is left to do: of a finished batch also what the rows that were run show of the others. */
export async function readEnd<S extends Pick<EndOfRun, 'batch' | 'counts' | 'money' | 'out'>>(
  ledger: Ledger,
  sums: S,
): Promise<S & EndOfRun> {
  const { batch, counts } = sums;
  const leftovers = await gatherLeftovers(ledger, batch, counts);
  return { ...sums, leftovers, pilot: batch.state === 'closed' ? await viewPilot(ledger, batch) : undefined };
}
