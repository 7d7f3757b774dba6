import type { ExitName } from '../../contract/exit-codes.ts';
import { defaultOut } from '../../batches/batch-name.ts';
import { gatherLeftovers } from '../../batches/look/leftovers.ts';
import { groupFailures } from '../../batches/look/failure-groups.ts';
import { atLedger } from '../at-ledger.ts';
import { viewHere } from './view-here.ts';
import { isWritten } from '../../results/is-written.ts';
import type { Output } from '../terminal/output.ts';
import { exitWithHooks, statusJson, statusLines } from '../terminal/status.ts';

/**
 * `voxbatch status [BATCH]`: shows a batch's status. The exit code is that of the batch; 75 while it is not finished, or
 * a hook is still to be told.
 */
export async function status(
  name: string | undefined,
  flags: { readonly json?: boolean },
  output: Output,
): Promise<ExitName> {
  return atLedger(async (ledger, settings) => {
    const view = await viewHere(ledger, settings, name);
    const groups = await groupFailures(ledger, view);
    const notices = await ledger.noticesOf(view.batch.name);
    const exit = exitWithHooks(view, notices);
    if (flags.json === true) output.data(JSON.stringify({ ...statusJson(view, groups, notices), exit }));
    else {
      const leftovers = await gatherLeftovers(ledger, view.batch, view.counts);
      const written = await isWritten(defaultOut(view.batch.name), view);
      const troubles = { groups, leftovers, notices, isWritten: written };
      for (const line of statusLines(view, troubles, Date.now())) output.data(line);
    }
    return exit;
  });
}
