import { join } from 'node:path';
import { codeOf } from '../results/system-errors.ts';
import { sha256Of } from '../results/media.ts';
import type { DamagedResult } from '../results/row-check.ts';
import type { VerifyReport } from '../results/verify.ts';
import { ExitError } from './exit-error.ts';
import { lookAtLedger } from './look-at.ts';

/** What became of the stored files behind wrong media of an out folder. */
export interface StoreFinding {
  /** The store's folder. */
  readonly store: string;
  readonly damaged: readonly DamagedResult[];
}

/**
 * Looks whether the store still has the right content of media that `verify` found wrong: if not, writing the files again cannot
 * help. Undefined where this folder has no ledger that knows the batch: files may be verified anywhere.
 */
export async function findDamaged({
  batch,
  wrongMedia,
}: Pick<VerifyReport, 'batch' | 'wrongMedia'>): Promise<StoreFinding | undefined> {
  if (batch === undefined || wrongMedia.length === 0) return undefined;
  try {
    return await lookAtLedger(async (ledger, { store }) => {
      if ((await ledger.findBatch(batch)) === undefined) return undefined;
      const damaged = new Map<number, DamagedResult>();
      for (const { row, sha256 } of wrongMedia) {
        const found = (await ledger.readRow(batch, row))?.row;
        const file = [found?.file, ...(found?.extraFiles ?? [])].find((one) => one?.sha256 === sha256);
        if (found === undefined || file == null) continue;
        const there = await contentOf(join(store, file.key));
        if (there !== sha256) damaged.set(row, { row, id: found.id, is: there === undefined ? 'missing' : 'altered' });
      }
      return { store, damaged: [...damaged.values()] };
    });
  } catch (error) {
    if (error instanceof ExitError) return undefined;
    throw error;
  }
}

/** sha256 of a stored file; undefined if it is not there. */
async function contentOf(path: string): Promise<string | undefined> {
  return sha256Of(path).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
    throw error;
  });
}
