import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { describeMismatch } from '../../results/verification/mismatch.ts';
import { viewPilot, type Pilot } from '../../batches/subset/pilot.ts';
import { projectBatch } from '../../results/project.ts';
import { isDeserted } from '../../client/temporal/anybody-in.ts';
import type { Invocation } from '../invocation.ts';
import { damageLines, keptLines, madeJson, madeLines, showFilesMade } from '../terminal/file-words.ts';
import { pilotJson } from '../terminal/pilot-words.ts';
import { pauseMessage, standstillWords } from '../terminal/pause-words.ts';
import { gatherLeftovers } from '../../batches/look/leftovers.ts';
import { standstillOf } from '../../batches/look/standstill.ts';
import { exitOfView } from '../../batches/look/view-batch.ts';
import { goOnCommand } from '../terminal/command.ts';
import { budgetJson } from '../terminal/money.ts';
import { summaryLines } from '../terminal/status-words.ts';
import { voxbatchVersion } from '../../client/version.ts';
import type { WorkEnd } from './work-on-batch.ts';

export interface FinishRequest {
  readonly batch: string;
  /** Absolute. */
  readonly out: string;
  readonly why: WorkEnd;
  /** Called if rows of a finished batch were left out, with what the others show of them. */
  readonly onPilot?: ((pilot: Pilot) => void) | undefined;
}

/** Writes a batch's files in their current state, says what happened and what to do next, and decides the exit code. */
export async function finishRun(
  { batch: name, out, why, onPilot }: FinishRequest,
  { session, output, json }: Pick<Invocation, 'session' | 'output' | 'json'>,
): Promise<ExitName> {
  const { settings } = session;
  const [ledger, store] = [await session.ledger(), await session.store()];
  const batch = await ledger.findBatch(name);
  if (batch === undefined) throw new Error(`Batch "${name}" is no longer in the ledger.`);
  const isClosed = batch.state === 'closed';
  const projection = { ledger, store, batch: name, out, complete: isClosed, voxbatchVersion: voxbatchVersion() };
  const { counts, money, mismatches, damaged, joined, finished, kept } = await showFilesMade(output, (onFilesMade) =>
    projectBatch({ ...projection, onFilesMade }),
  );
  const byState = exitOfView({ batch, counts }, mismatches.length > 0);
  // `--detach` asks for a start only.
  const isAccepted = why === 'detached' && mismatches.length === 0;
  const exit = why === 'interrupted' || why === 'terminated' ? why : isAccepted ? 'started' : byState;
  const pilot = isClosed ? await viewPilot(ledger, batch) : undefined;
  if (json) {
    const { halted } = batch;
    const sums = { outcomes: counts.outcomes, not_chosen: counts.notChosen, credits: money };
    const rest = { ...budgetJson(money, batch.settings.budget), detached: why === 'detached', halted, out };
    const sample = pilot === undefined ? null : pilotJson(pilot);
    output.data(JSON.stringify({ batch: name, exit, ...sums, ...rest, sample, ...madeJson({ joined, finished }) }));
  }
  const leftovers = await gatherLeftovers(ledger, batch, counts);
  for (const line of summaryLines({ batch, counts, money, out, leftovers, pilot })) output.say(line);
  for (const line of madeLines({ joined, finished })) output.say(`  ${line}`);
  if (pilot !== undefined) onPilot?.(pilot);
  for (const line of keptLines(kept, out)) output.say(line);
  for (const mismatch of mismatches) output.say(`DOES NOT ADD UP: ${describeMismatch(mismatch)}`);
  for (const line of damageLines(damaged, { batch: batch.name, store: settings.store })) output.say(line);
  if (why === 'interrupted' || why === 'terminated')
    output.say(`Stopped here; nothing is lost. Continue with: ${goOnCommand(batch, out)}`);
  else if (why === 'detached') {
    // Embedded, `up` was started for it and may not have reported yet.
    const standstill = settings.cluster === undefined ? undefined : await standstillOf(ledger, batch);
    const goesOn =
      standstill === undefined ? 'The batch continues in the background.' : standstillWords(standstill, batch);
    const word = shellWord(name);
    const files =
      settings.cluster === undefined
        ? `Its files are complete when it is finished. To write them before: voxbatch results ${word}`
        : `Write its files at any time: voxbatch results ${word}`;
    output.say(`${goesOn}\nStatus: voxbatch status ${word}. ${files}`);
  } else if (batch.control === 'paused' && !isClosed)
    output.say(pauseMessage(batch, { isDeserted: await isDeserted(ledger, settings.home), out }));
  else if (!isClosed) output.say(`Batch "${batch.name}" is not finished. Continue with: ${goOnCommand(batch, out)}`);
  return exit;
}
