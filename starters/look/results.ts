import { resolve } from 'node:path';
import { defaultOut } from '../../batches/batch-name.ts';
import { viewPilot } from '../../batches/subset/pilot.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { describeMismatch } from '../../results/verification/mismatch.ts';
import { projectBatch } from '../../results/project.ts';
import { openStore } from '../../store/open-store.ts';
import { damageLines } from '../terminal/damage-words.ts';
import { showFilesMade } from '../terminal/files-progress.ts';
import { finishedJson, finishedLines } from '../terminal/finished-words.ts';
import { joinedJson, joinedLines } from '../terminal/joined-words.ts';
import { keptLines } from '../terminal/kept-words.ts';
import { gatherLeftovers } from '../../batches/look/leftovers.ts';
import { atLedger } from '../at-ledger.ts';
import { exitOfView } from '../../batches/look/view-batch.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { refuseCleaned } from '../../client/clean/refuse-cleaned.ts';
import { isStranger } from '../../client/trust/known-ledgers.ts';
import { claimOut } from '../../client/run/out-folder.ts';
import type { Output } from '../terminal/output.ts';
import { summaryLines } from '../terminal/summary.ts';
import { voxbatchVersion } from '../../client/version.ts';

export interface ResultsFlags {
  readonly out?: string;
  readonly json?: boolean;
}

/**
 * `voxbatch results [BATCH]`: writes the files of a batch from the ledger and the store, in their current state. Can be
 * repeated at any time, even while the batch runs. The exit code is that of the batch, or 15 if something does not add
 * up.
 */
export async function results(name: string | undefined, flags: ResultsFlags, output: Output): Promise<ExitName> {
  return atLedger(async (ledger, settings) => {
    const batch = await chooseBatch(ledger, name);
    refuseCleaned(batch);
    const out = resolve(flags.out ?? defaultOut(batch.name));
    await claimOut(out, batch, ledger);
    const projection = {
      ledger,
      store: await openStore(settings.store, settings.env),
      batch: batch.name,
      out,
      complete: batch.state === 'closed',
      voxbatchVersion: voxbatchVersion(),
    };
    const { counts, money, mismatches, damaged, joined, finished, kept } = await showFilesMade(output, (onFilesMade) =>
      projectBatch({ ...projection, onFilesMade }),
    );
    const exit = exitOfView({ batch, counts }, mismatches.length > 0);
    if (flags.json === true) {
      const { outcomes } = counts;
      output.data(
        JSON.stringify({
          batch: batch.name,
          exit,
          outcomes,
          credits: money,
          out,
          mismatches,
          ...joinedJson(joined),
          ...finishedJson(finished),
        }),
      );
    } else {
      const leftovers = await gatherLeftovers(ledger, batch, counts);
      const pilot = batch.state === 'closed' ? await viewPilot(ledger, batch) : undefined;
      const end = { batch, counts, money, out, leftovers, pilot, isStranger: isStranger(settings, ledger) };
      for (const line of summaryLines(end)) output.data(line);
      for (const line of [...joinedLines(joined), ...finishedLines(finished)]) output.data(`  ${line}`);
    }
    for (const line of keptLines(kept, out)) output.say(line);
    for (const mismatch of mismatches) output.say(`DOES NOT ADD UP: ${describeMismatch(mismatch)}`);
    for (const line of damageLines(damaged, { batch: batch.name, store: settings.store })) output.say(line);
    return exit;
  });
}
