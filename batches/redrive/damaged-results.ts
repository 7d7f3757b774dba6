import { join } from 'node:path';
import type { Ledger } from '../../ledger/ledger.ts';
import { sha256Of } from '../../inputs/file-digest.ts';
import type { DamagedResult } from '../../results/verification/row-check.ts';
import { codeOf } from '../../results/system-errors.ts';
import type { VerifyReport } from '../../results/verification/verify.ts';

/**
 * Checks whether the store still has the correct content of media that `verify` found wrong; if not, writing the files
 * again cannot help. Undefined if this ledger does not know the batch, because files may be verified anywhere. `store`:
 * the store's folder.
 */
export async function findDamaged(
  { batch, wrongMedia }: Pick<VerifyReport, 'batch' | 'wrongMedia'>,
  { ledger, store }: { readonly ledger: Ledger; readonly store: string },
): Promise<readonly DamagedResult[] | undefined> {
  if (batch === undefined || (await ledger.findBatch(batch)) === undefined) return undefined;
  const damaged = new Map<number, DamagedResult>();
  for (const { row, sha256 } of wrongMedia) {
    const found = (await ledger.readRow(batch, row))?.row;
    const file = [found?.file, ...(found?.extraFiles ?? [])].find((one) => one?.sha256 === sha256);
    if (found === undefined || file == null) continue;
    const there = await storedContent(store, file);
    const isRemoved = found.file?.removedAt !== undefined;
    const is = there !== undefined ? 'altered' : isRemoved ? 'removed' : 'missing';
    if (there !== sha256) damaged.set(row, { row, id: found.id, is });
  }
  return [...damaged.values()];
}

/** sha256 of a stored file as it is now; undefined if it is not there. `store`: the store's folder. */
export async function storedContent(store: string, { key }: { readonly key: string }): Promise<string | undefined> {
  return sha256Of(join(store, key)).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
    throw error;
  });
}
