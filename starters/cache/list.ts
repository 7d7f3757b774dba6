import { VoxbatchError } from '../../client/problem.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { atLedger } from '../at-ledger.ts';
import type { Output } from '../terminal/output.ts';
import { cacheLines, EMPTY_CACHE } from './cache-words.ts';

/** `voxbatch cache list`: how much is kept for later rows. */
export async function listCache({ json }: { readonly json?: boolean }, output: Output): Promise<ExitName> {
  const sums = await atLedger((ledger) => ledger.sumResults()).catch((error: unknown) => {
    if (error instanceof VoxbatchError && error.problem.type === 'no-ledger') return EMPTY_CACHE;
    throw error;
  });
  if (json === true) {
    const { byBatch, byKind, byVoice, byAge, ...all } = sums;
    output.data(JSON.stringify({ ...all, by_batch: byBatch, by_kind: byKind, by_voice: byVoice, by_age: byAge }));
  } else for (const line of cacheLines(sums)) output.data(line);
  return 'complete';
}
