import { printAnswer, type RunContext, type Output } from '../terminal/output.ts';
import { viewStatus } from '../../client/status/status-view.ts';
import type { BatchStatus } from '../../client/status/status.ts';
import { GRACE_MS, watchBatch } from '../../client/status/watch-batch.ts';
import { chooseBatch } from '../../client/open-records.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { withLedger } from '../connect/settings.ts';
import { listenForInterrupt } from '../run/interrupt.ts';
import { barLine } from '../terminal/bar.ts';
import { commandLine } from '../terminal/words.ts';
import { ProgressDisplay } from '../terminal/progress.ts';
import { cutToWidth } from '../terminal/table.ts';
import { statusLines } from '../terminal/status-words.ts';

/**
 * `voxbatch watch [BATCH]`: shows a batch until it is finished, paused, or has no worker, then prints its status.
 * Redraws on a terminal; elsewhere prints a line now and then, or events with `--json`. Ctrl-C ends watching, never the
 * batch.
 */
export async function watch(name: string | undefined, flags: Flags, { output }: RunContext): Promise<ExitName> {
  return withLedger(
    async (ledger, settings) => {
      const sayStopped = (batch = name): void => {
        const again = commandLine({ command: 'watch', args: batch === undefined ? [] : [batch] });
        output.say(`Stopped watching; the batch is not affected. Watch again: ${again}`);
      };
      const interrupt = listenForInterrupt(
        () => undefined,
        () => {
          sayStopped();
        },
      );
      const { signal } = interrupt;
      const show = displayOn(output);
      let page: { close(): Promise<void> } | undefined;
      try {
        if (flags.page === true) {
          const { openPageBeside } = await import('../page/page.ts');
          page = await openPageBeside(settings, (await chooseBatch(ledger, name)).name, output);
        }
        for await (const { type, status } of watchBatch(ledger, settings, { name, signal, say: output.say })) {
          show(type === 'progress' ? status : undefined);
          if (type === 'deserted') {
            output.event?.({ type });
            output.say(`Batch "${status.batch.name}" has no worker. Waiting ${String(GRACE_MS / 1_000)} s for one …`);
          }
          if (type !== 'ended') continue;
          printAnswer(output, flags, viewStatus(status), () => statusLines(status, Date.now()));
          if (!signal.aborted) return status.exit;
          sayStopped(status.batch.name);
        }
      } catch (error) {
        // After Ctrl-C, an error comes from the wait for the ledger's database, which was cut short.
        if (!signal.aborted) throw error;
        sayStopped();
      } finally {
        await page?.close();
        interrupt.dispose();
      }
      return interrupt.exit();
    },
    { waits: true },
  );
}

/** Returns a function that shows a batch's status; undefined clears what is shown. */
function displayOn(output: Output): (status: BatchStatus | undefined) => void {
  const { draw } = output;
  if (output.progress === 'bar' && draw !== undefined)
    return (status) => {
      const now = Date.now();
      draw((cells) =>
        status === undefined
          ? []
          : [barLine(status, cells, now, output), ...statusLines(status, now).map((line) => cutToWidth(line, cells))],
      );
    };
  const display = new ProgressDisplay(output);
  return (status) => {
    if (status !== undefined) display.show(status);
  };
}
