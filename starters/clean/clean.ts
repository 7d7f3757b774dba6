import { cleanBatch, type CleanEnd, type CleanRequest } from '../../batches/clean/clean-batch.ts';
import { claimStore } from '../../client/claim-store.ts';
import { chooseBatch } from '../../client/open-records.ts';
import type { CleanParts } from '../../contract/cleaning.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { atLedger } from '../at-ledger.ts';
import { confirmRemoval, requireConsent, type Ask } from '../confirm-removal.ts';
import { unchangedError } from '../exit-error.ts';
import { personAt } from '../person.ts';
import { admittance } from '../trust/admit-ledger.ts';
import { confirmStore } from '../trust/confirmed-settings.ts';
import { askYesNo } from '../terminal/ask.ts';
import type { Output } from '../terminal/output.ts';
import { cleanJson, cleanLines, cleanRefusal } from './clean-words.ts';

/** Flags of `clean`. */
export interface CleanFlags {
  readonly media?: boolean;
  readonly rows?: boolean;
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/**
 * `voxbatch clean BATCH`: shows what it would remove, asks, removes it. Killed at any moment, the same command finishes
 * it.
 */
export async function clean(name: string, flags: CleanFlags, output: Output, ask: Ask = askYesNo): Promise<ExitName> {
  const parts = readParts(flags);
  return atLedger<ExitName>(async (ledger, settings) => {
    // What is removed lies where the ledger and its store say.
    if (flags.dryRun !== true) await admittance(settings, flags, output)(ledger);
    const batch = await chooseBatch(ledger, name);
    const store = await claimStore(await confirmStore(settings, flags), ledger);
    try {
      const request: CleanRequest = { ledger, store, batch, parts };
      const tell = (end: CleanEnd, isDryRun: boolean): void => {
        if (end.type !== 'cleaned') throw cleanRefusal(end, batch);
        if (flags.json === true) output.data(JSON.stringify(cleanJson(end, { batch, parts, isDryRun })));
        else for (const line of cleanLines(end, { batch, parts, isDryRun })) output.data(line);
      };
      const person = personAt(output, flags);
      if (flags.dryRun === true) {
        tell(await cleanBatch({ ...request, isDryRun: true }), true);
        return 'complete';
      }
      if (!person.yes) {
        const forecast = await cleanBatch({ ...request, isDryRun: true });
        if (forecast.type !== 'cleaned') throw cleanRefusal(forecast, batch);
        for (const line of cleanLines(forecast, { batch, parts, isDryRun: true })) output.say(line);
        requireConsent(person);
        await confirmRemoval(ask);
      }
      tell(await cleanBatch(request), false);
      return 'complete';
    } finally {
      await store.close();
    }
  });
}

function readParts({ media = false, rows = false, all = false }: CleanFlags): CleanParts {
  if (!media && !rows && !all)
    throw unchangedError(
      'What is to be removed? --media (its files in the store), --rows (what its rows asked for) or --all.',
    );
  return { media: media || all, rows: rows || all };
}
