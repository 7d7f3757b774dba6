import type { ManifestOptions } from '../inputs/manifest-options.ts';
import type { ManifestSource } from '../inputs/manifest-source.ts';
import { readManifest, type ManifestSummary } from '../inputs/read-manifest.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';
import { editOf } from './redrive/row-edit.ts';

/** A checked manifest that may be that of a batch. */
interface MaybeSame {
  readonly source: ManifestSource;
  readonly options: ManifestOptions;
  readonly checked: ManifestSummary;
}

/**
 * The digest by which a manifest is compared with a batch of its name: that of the batch, if the manifest has other
 * bytes, but the very rows of the batch, as `redrive --from` may have edited them; else its own.
 */
export async function digestFor(batch: BatchRecord, manifest: MaybeSame, ledger: Ledger): Promise<string> {
  const { digest } = manifest.checked;
  if (digest === batch.digest || !(await hasSameRows(batch, manifest, ledger))) return digest ?? '';
  return batch.digest;
}

async function hasSameRows(
  batch: BatchRecord,
  { source, options, checked }: MaybeSame,
  ledger: Ledger,
): Promise<boolean> {
  const { columns } = checked;
  const isSameTable = columns.length === batch.columns.length && batch.columns.every((name) => columns.includes(name));
  if (!isSameTable || checked.problemCount > 0 || checked.rows !== batch.rows) return false;
  const recorded = ledger.scanRows(batch.name)[Symbol.asyncIterator]();
  try {
    for await (const line of readManifest(source, options, checked)) {
      const next = await recorded.next();
      if (next.done === true || next.value.row.id !== line.id) return false;
      if (editOf(next.value, line, checked, batch) !== null) return false;
    }
    return (await recorded.next()).done === true;
  } finally {
    await recorded.return?.();
  }
}
