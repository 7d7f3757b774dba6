import { pruneCache, type PruneRequest } from '../../batches/cache/prune-cache.ts';
import { claimStore } from '../../client/claim-store.ts';
import { identifyMedia } from '../../client/cache/identify-media.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { atLedger } from '../at-ledger.ts';
import { confirmRemoval, requireConsent, type Ask } from '../confirm-removal.ts';
import { unchangedError } from '../exit-error.ts';
import { personAt } from '../person.ts';
import { admittance } from '../trust/admit-ledger.ts';
import { confirmStore } from '../trust/confirmed-settings.ts';
import { askYesNo } from '../terminal/ask.ts';
import type { Output } from '../terminal/output.ts';
import { prunedJson, prunedLine } from './cache-words.ts';

/** Flags of `cache prune`. */
export interface PruneFlags {
  /** Ms. */
  readonly olderThan?: number;
  readonly keepBytes?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `voxbatch cache prune`: says what it would remove, asks, removes it. */
export async function prune(flags: PruneFlags, output: Output, ask: Ask = askYesNo): Promise<ExitName> {
  const { olderThan: olderThanMs, keepBytes } = flags;
  if (olderThanMs === undefined && keepBytes === undefined)
    throw unchangedError('Which results? --older-than TIME (such as 30d), --keep-bytes SIZE (such as 10GB) or both.');
  const person = personAt(output, flags);
  const isDryRun = flags.dryRun === true;
  if (!isDryRun) requireConsent(person);
  return atLedger<ExitName>(async (ledger, settings) => {
    if (!isDryRun) await admittance(settings, flags, output)(ledger);
    const store = await claimStore(await confirmStore(settings, flags), ledger);
    try {
      const wish = defined({ olderThanMs, keepBytes });
      const request: PruneRequest = { ledger, store, wish, identify: identifyMedia, isDryRun };
      if (!isDryRun && !person.yes) {
        output.say(prunedLine(await pruneCache({ ...request, isDryRun: true }), true));
        await confirmRemoval(ask);
      }
      const pruned = await pruneCache(request);
      if (flags.json === true) output.data(JSON.stringify(prunedJson(pruned, isDryRun)));
      else output.data(prunedLine(pruned, isDryRun));
    } finally {
      await store.close();
    }
    return 'complete';
  });
}
