import { pruneCache, type PruneRequest } from '../../batches/prune-cache.ts';
import { claimStore } from '../../client/claim-store.ts';
import { identifyMedia } from '../../client/identify-media.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { atLedger } from '../at-ledger.ts';
import { ExitError, unchangedError } from '../exit-error.ts';
import { personAt } from '../person.ts';
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
export async function prune(
  flags: PruneFlags,
  output: Output,
  ask: (question: string) => Promise<boolean> = askYesNo,
): Promise<ExitName> {
  const { olderThan: olderThanMs, keepBytes } = flags;
  if (olderThanMs === undefined && keepBytes === undefined)
    throw unchangedError('Which results? --older-than TIME (such as 30d), --keep-bytes SIZE (such as 10GB) or both.');
  const { yes, canAsk } = personAt(output, flags);
  const isDryRun = flags.dryRun === true;
  if (!isDryRun && !yes && !canAsk)
    throw new ExitError(
      'refused',
      'Not confirmed, and there is no terminal to ask on. Nothing was removed. Add --yes.',
    );
  return atLedger<ExitName>(async (ledger, settings) => {
    const store = await claimStore(settings, ledger);
    try {
      const wish = defined({ olderThanMs, keepBytes });
      const request: PruneRequest = { ledger, store, wish, identify: identifyMedia, isDryRun };
      if (!isDryRun && !yes) {
        output.say(prunedLine(await pruneCache({ ...request, isDryRun: true }), true));
        if (!(await ask('Remove this for good?')))
          throw new ExitError('refused', 'Not confirmed. Nothing was removed.');
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
