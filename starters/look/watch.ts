import { setTimeout as sleep } from 'node:timers/promises';
import { defaultOut } from '../../batches/batch-name.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { gatherLeftovers, type SomeRows } from '../../batches/look/leftovers.ts';
import { groupFailures } from '../../batches/look/failure-groups.ts';
import { listenForInterrupt } from '../run/interrupt.ts';
import { atLedger } from '../at-ledger.ts';
import { viewHere, type LocalView } from './view-here.ts';
import { exitOfView } from '../../batches/look/view-batch.ts';
import type { EarlierUnresolved } from '../../ledger/record-types.ts';
import { Drawing } from '../terminal/drawing.ts';
import { isWritten } from '../../results/is-written.ts';
import type { Output } from '../terminal/output.ts';
import { ProgressDisplay } from '../terminal/progress.ts';
import { statusJson, statusLines, type Troubles } from '../terminal/status.ts';

/** Pause between two reads of the ledger, ms. */
const LOOK_EVERY_MS = 500;
/** How long a batch that nobody works on is watched, ms: the command that has just made it may still be starting. */
const PATIENCE_MS = 10_000;

/**
 * `voxbatch watch [BATCH]`: shows a batch until it is finished, paused, or nobody works on it any more, then prints its
 * status. On a terminal the status is redrawn; elsewhere it is a plain line now and then. Ctrl-C ends watching, never
 * the batch.
 */
export async function watch(
  name: string | undefined,
  flags: { readonly json?: boolean },
  output: Output,
): Promise<ExitName> {
  return atLedger(async (ledger, settings) => {
    const nothing = (): void => undefined;
    const sayStopped = (batch = name): void => {
      const again = `voxbatch watch${batch === undefined ? '' : ` ${shellWord(batch)}`}`;
      output.say(`Stopped watching; the batch is not affected. Watch again: ${again}`);
    };
    const interrupt = listenForInterrupt(nothing, sayStopped);
    const show = displayOn(output);
    try {
      let view = await viewHere(ledger, settings, name);
      const isLeft = patience((batch) => {
        show(undefined);
        output.say(`Batch "${batch}" has no worker. Waiting ${String(PATIENCE_MS / 1_000)} s for one …`);
      });
      while (!isOver(view) && !isLeft(view) && !interrupt.signal.aborted) {
        show(view);
        await sleep(LOOK_EVERY_MS, undefined, { signal: interrupt.signal }).catch(nothing);
        view = await viewHere(ledger, settings, view.batch.name);
      }
      show(undefined);
      const groups = await groupFailures(ledger, view);
      if (flags.json === true) output.data(JSON.stringify(statusJson(view, groups)));
      else {
        const leftovers = await gatherLeftovers(ledger, view.batch, view.counts);
        const written = await isWritten(defaultOut(view.batch.name), view);
        for (const line of statusLines(view, { groups, leftovers, isWritten: written }, Date.now())) output.data(line);
      }
      if (!interrupt.signal.aborted) return exitOfView(view);
      sayStopped(view.batch.name);
      return interrupt.exit();
    } finally {
      interrupt.dispose();
    }
  });
}

/** Whether nobody has worked on the batch for a while; asked at every look. `onDeserted`: called when that begins. */
function patience(onDeserted: (batch: string) => void): (view: LocalView) => boolean {
  let since: number | undefined;
  return ({ isDeserted, batch }) => {
    if (!isDeserted) since = undefined;
    else if (since === undefined) {
      since = performance.now();
      onDeserted(batch.name);
    }
    return since !== undefined && performance.now() - since >= PATIENCE_MS;
  };
}

function isOver({ batch }: LocalView): boolean {
  return batch.state === 'closed' || (batch.state === 'open' && batch.control === 'paused');
}

/** While it runs only counts are shown: reasons cost a read of every row. */
const NONE: SomeRows = { count: 0, first: [] };
const NONE_EARLIER: EarlierUnresolved = { count: 0, first: [] };
const NO_TROUBLES: Troubles = {
  groups: [],
  leftovers: {
    failed: new Map(),
    fetchable: NONE,
    tooLong: NONE,
    refusedInParts: NONE,
    voiceless: { count: 0, makers: [] },
    lost: { listed: NONE, unlisted: NONE, unchecked: NONE },
    otherParts: NONE,
    lateParts: 0,
    skippedQuotes: { overBudget: null, notChosen: null },
    earlierUnresolved: NONE_EARLIER,
  },
};

/** Shows a view; undefined ends it. */
function displayOn(output: Output): (view: LocalView | undefined) => void {
  if (output.isTerminal) {
    const drawing = new Drawing();
    return (view) => {
      if (view === undefined) drawing.clear();
      else drawing.show(statusLines(view, NO_TROUBLES, Date.now()));
    };
  }
  const display = new ProgressDisplay(output);
  return (view) => {
    if (view !== undefined) display.show(view);
  };
}
