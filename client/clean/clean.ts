import { areRowsCleaned, cleanBatch, type CleanEnd } from '../../batches/clean/clean-batch.ts';
import type { CleanParts } from '../../contract/cleaning.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { VoxbatchError } from '../problem.ts';
import type { Session } from '../session.ts';

/** What is removed of a batch, and how. */
export interface CleanOptions extends Partial<CleanParts> {
  /** Only say what would be removed. Default false. */
  readonly isDryRun?: boolean;
  /** Called with what would be removed, if anything can be; rejects if it must not be. Default: nobody is asked. */
  readonly confirm?: (forecast: Cleaned) => Promise<void>;
}

/** What was removed, or would be. */
export type Cleaned = Extract<CleanEnd, { readonly type: 'cleaned' }>;

/** Removes the media of a finished batch, what its rows asked for, or both; see `batches/clean/clean-batch.ts`. */
export async function clean(
  session: Session,
  batch: BatchRecord,
  { media = false, rows = false, isDryRun = false, confirm }: CleanOptions,
): Promise<CleanEnd> {
  const [ledger, store] = [await session.ledger(), await session.store()];
  const request = { ledger, store, batch, parts: { media, rows } };
  if (!isDryRun && confirm !== undefined) {
    const forecast = await cleanBatch({ ...request, isDryRun: true });
    if (forecast.type !== 'cleaned') return forecast;
    await confirm(forecast);
  }
  return cleanBatch({ ...request, isDryRun });
}

/** Without what its rows asked for, a batch can neither be run again nor written. Throws {@link VoxbatchError} (`cleaned`). */
export function refuseCleaned(batch: BatchRecord): void {
  if (areRowsCleaned(batch)) throw new VoxbatchError({ type: 'cleaned', batch });
}
