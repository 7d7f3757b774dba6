import { compareBatches, type BatchComparison, type UnlikeRow } from '../../batches/compare/compare-batches.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { DEFAULT_TOLERANCES, type Tolerances } from '../../policy/compare/judge-parity.ts';
import { openStore } from '../../store/open-store.ts';
import { chooseBatch } from '../open-records.ts';
import { VoxbatchError } from '../problem.ts';
import { refuseOption } from '../refuse-option.ts';
import type { Settings } from '../settings.ts';

/** How two batches are compared. */
export interface CompareOptions {
  /** How much they may differ; shares from 0 on, `Infinity`: however much. Default: {@link DEFAULT_TOLERANCES}. */
  readonly tolerances?: Partial<Tolerances>;
  /** Called for each row that differs, and for each that only one batch has. */
  readonly onRow?: (row: UnlikeRow) => Promise<void> | void;
}

/**
 * Compares two batches of a ledger; see `batches/compare/compare-batches.ts`. Throws {@link VoxbatchError} (`no-batch`,
 * `loading`, `bad-option`).
 */
export async function compareHere(
  ledger: Ledger,
  { store }: Pick<Settings, 'store'>,
  [one, other]: readonly [string, string],
  { tolerances = {}, ...options }: CompareOptions = {},
): Promise<BatchComparison> {
  for (const [name, share] of Object.entries(tolerances)) checkShare(name, share);
  if (one === other) refuseOption('batch', 'two different batches', one);
  const batches = [await loadedBatch(ledger, one), await loadedBatch(ledger, other)] as const;
  const media = await openStore(store, {});
  try {
    return await compareBatches({
      ...options,
      ledger,
      batches,
      tolerances: { ...DEFAULT_TOLERANCES, ...tolerances },
      store: media,
    });
  } finally {
    await media.close();
  }
}

async function loadedBatch(ledger: Ledger, name: string): Promise<BatchRecord> {
  const batch = await chooseBatch(ledger, name);
  if (batch.state === 'loading') throw new VoxbatchError({ type: 'loading', batch });
  return batch;
}

function checkShare(name: string, share: number): void {
  if (!(share >= 0)) refuseOption(`tolerances.${name}`, 'a share from 0 on', share);
}
