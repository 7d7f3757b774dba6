import { NO_MEDIA, type MediaSum } from '../../batches/cache/disk-sum.ts';
import { sweepUploads } from '../../batches/local-media/sweep-uploads.ts';
import { areRowsCleaned } from '../../batches/clean/cleaned-rows.ts';
import { cleanBatch, type CleanEnd } from '../../batches/clean/clean-batch.ts';
import type { CleanParts } from '../../contract/cleaning.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { VoxbatchError } from '../problem.ts';
import { byPerson } from '../history/by-person.ts';
import type { Session } from '../session.ts';

/** Which parts of a batch to remove, and how. */
export interface CleanOptions extends Partial<CleanParts> {
  /** Only report what would be removed. Default: false. */
  readonly isDryRun?: boolean;
  /** Why, for the record. */
  readonly reason?: string | undefined;
  /** Called with the forecast, unless the batch cannot be cleaned; rejects to cancel. Default: no confirmation. */
  readonly confirm?: (forecast: Cleaned) => Promise<void>;
}

/** The removed parts, or in a dry run those that would be. */
export type Cleaned = Extract<CleanEnd, { readonly type: 'cleaned' }> & {
  /** Uploaded local media that no open row needs; of any batch. */
  readonly uploads: MediaSum;
};

/** Result of a clean; see {@link CleanEnd}. */
export type CleanedHere = Cleaned | Exclude<CleanEnd, { readonly type: 'cleaned' }>;

/** Removes a finished batch's media, its rows' inputs, or both; see `batches/clean/clean-batch.ts`. */
export async function clean(
  session: Session,
  batch: BatchRecord,
  { media = false, rows = false, isDryRun = false, reason, confirm }: CleanOptions,
): Promise<CleanedHere> {
  const [ledger, store] = [await session.ledger(), await session.store()];
  const request = { ledger, store, batch, parts: { media, rows }, by: byPerson(session.settings, reason) };
  const cleanUp = async (isForecast: boolean): Promise<CleanedHere> => {
    const end = await cleanBatch({ ...request, isDryRun: isForecast });
    if (end.type !== 'cleaned') return end;
    return { ...end, uploads: media ? await sweepUploads({ ledger, store, isDryRun: isForecast }) : NO_MEDIA };
  };
  if (!isDryRun && confirm !== undefined) {
    const forecast = await cleanUp(true);
    if (forecast.type !== 'cleaned') return forecast;
    await confirm(forecast);
  }
  return cleanUp(isDryRun);
}

/**
 * Throws {@link VoxbatchError} (`cleaned`) for a batch whose rows' inputs were removed: it can neither be redriven nor
 * written.
 */
export function refuseCleaned(batch: BatchRecord): void {
  if (areRowsCleaned(batch)) throw new VoxbatchError({ type: 'cleaned', batch });
}
