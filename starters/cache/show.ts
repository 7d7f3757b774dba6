import { lookUpRow } from '../../batches/cache/cached-row.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { openStore } from '../../store/open-store.ts';
import { atLedger } from '../at-ledger.ts';
import { findHistory } from '../../client/look/explain.ts';
import { unclearRow, type ExplainRequest } from '../look/explain.ts';
import type { Output } from '../terminal/output.ts';
import { cachedRowJson, cachedRowLines } from './cache-words.ts';

/** Flags of `cache show`. */
export interface ShowFlags {
  readonly batch?: string;
  readonly json?: boolean;
}

/** `voxbatch cache show ROW`: what the results of a row are known by, where they are kept, and who has them. */
export async function showCached(request: ExplainRequest, output: Output): Promise<ExitName> {
  return atLedger<ExitName>(async (ledger, settings) => {
    const answer = await findHistory(ledger, request);
    if (answer.type !== 'found') throw unclearRow(answer, request);
    const found = answer.history;
    // Claims nothing: where the store's disk is not mounted, its folder would become the store.
    const store = await openStore(settings.store, settings.env);
    try {
      const steps = await lookUpRow(ledger, store, found.batch, found);
      const place = { batch: found.batch, row: found.row, steps, store: settings.store };
      if (request.json === true) output.data(JSON.stringify(cachedRowJson(place)));
      else for (const line of cachedRowLines(place)) output.data(line);
    } finally {
      await store.close();
    }
    return 'complete';
  });
}
