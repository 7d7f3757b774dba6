import { forgottenResults, type ForgottenResult } from '../../batches/reconcile/forgotten-results.ts';
import type { Tuning } from '../../contract/tunables.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StoreUnwritable } from '../../store/errors.ts';
import { openStoreOf, requireStore } from '../claim-store.ts';
import { VoxbatchError } from '../problem.ts';
import type { Settings } from '../settings.ts';

type StoreSettings = Pick<Settings, 'store' | 'env'>;

/** The rows of a batch, by number, whose results the store has in the folder of a lost batch of the same name. */
export async function forgottenRows(
  settings: StoreSettings,
  ledger: Ledger,
  batch: BatchRecord,
): Promise<ReadonlyMap<number, ForgottenResult>> {
  // Any other ledger has all batches of its store.
  if ((await ledger.acceptedAt()) === null) return new Map();
  const store = await openStoreOf(settings);
  try {
    return new Map((await forgottenResults(ledger, store, batch)).map((one) => [one.row, one]));
  } finally {
    await store.close();
  }
}

/**
 * The same rows, for advice: none if the store cannot be used, which the command that needs it reports.
 */
export async function storedRows(
  settings: StoreSettings,
  ledger: Ledger,
  batch: BatchRecord,
): Promise<ReadonlyMap<number, ForgottenResult>> {
  try {
    return await forgottenRows(settings, ledger, batch);
  } catch (error) {
    if (error instanceof StoreUnwritable) return new Map();
    throw error;
  }
}

/**
 * Refuses to leave the cache mode `only` while open rows have their results in the store, and to open rows that were
 * left out (`opensLeftOut`) while these do: they would be paid for again. Rows that are open in any other mode were
 * opened by a person who named them. Throws {@link VoxbatchError} (`forgotten-results`, those of {@link requireStore}).
 * Changes nothing.
 */
export async function refuseForgottenResults(
  settings: StoreSettings,
  ledger: Ledger,
  batch: BatchRecord,
  { cache = batch.settings.cache }: Tuning,
  { opensLeftOut }: { readonly opensLeftOut: boolean },
): Promise<void> {
  const sendsOpen = batch.settings.cache === 'only';
  if (cache === 'only' || !(sendsOpen || opensLeftOut) || (await ledger.acceptedAt()) === null) return;
  // Another store, or none, would show nothing: only workers need it otherwise.
  await requireStore(settings, ledger);
  const rows = [...(await forgottenRows(settings, ledger, batch)).values()].filter(
    ({ unsent }) => (sendsOpen && unsent === 'open') || (opensLeftOut && unsent === 'left-out'),
  );
  if (rows.length > 0) throw new VoxbatchError({ type: 'forgotten-results', batch: batch.name, rows });
}
