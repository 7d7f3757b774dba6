import { areRowsCleaned } from '../../batches/clean/clean-batch.ts';
import { exitOfView } from '../../batches/look/view-batch.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { type Invocation } from '../invocation.ts';
import { ExitError } from '../exit-error.ts';
import { type Recorded } from '../../client/run/put-on-record.ts';
import { finishRun } from './finish-run.ts';
import { nameTakenText } from '../terminal/name-taken.ts';
import type { Output } from '../terminal/output.ts';
import { chosenOf, doneOf } from '../../client/look/counts.ts';
import { number } from '../terminal/words.ts';
import { chosenInWords, rowsInWords } from '../terminal/row-words.ts';
import { describeTuning } from '../terminal/tunable-words.ts';
import { finishClosed } from './tell-last.ts';
import { workOnBatch } from './work-on-batch.ts';
import { manifestCommand } from './run-command.ts';
import type { RunPlan } from './run-options.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { RunRequest } from './run-request.ts';

/**
 * Works on a manifest on record, follows it, and writes its files. Throws {@link ExitError} if the name is another
 * batch's.
 */
export async function runRecorded(
  { manifestPath, source, flags, plan, server, onPilot }: RunRequest,
  recorded: Recorded,
  invocation: Invocation,
): Promise<ExitName> {
  const { session, output } = invocation;
  if (recorded.type === 'declined') throw new Error('What is not approved ends with its own words.');
  if (recorded.type === 'taken') {
    const commandAs = (name: string): string => manifestCommand('run', manifestPath, { ...flags, name });
    throw new ExitError('usage', nameTakenText(recorded, source, commandAs));
  }
  const isNew = recorded.type === 'new';
  const { batch } = recorded;
  if (recorded.type === 'known') sayChanges(recorded, plan, output);
  const place = { batch: batch.name, out: plan.out, onPilot };
  if (batch.state === 'closed' && areRowsCleaned(batch)) {
    output.say(
      `Batch "${batch.name}" is already finished, and what its rows asked for was removed. Nothing is sent, nothing is written.`,
    );
    const ledger = await session.ledger();
    const finish = async (): Promise<ExitName> => exitOfView({ batch, counts: await ledger.counts(batch.name) });
    return finishClosed(batch.name, invocation, finish);
  }
  if (batch.state === 'closed') {
    output.say(`Batch "${batch.name}" is already finished. Its files are written again; nothing is sent.`);
    return finishClosed(batch.name, invocation, () => finishRun({ ...place, why: 'closed' }, invocation));
  }
  const rows = await rowsOf(await session.ledger(), batch, isNew);
  output.say(`Batch "${batch.name}": ${rows}, account ${batch.account}, ${(await session.api()).api.baseUrl}`);
  return workOnBatch({ record: batch, isNew, out: plan.out, server }, invocation, (why) =>
    finishRun({ ...place, why }, invocation),
  );
}

/** Flags apply to an existing batch as far as possible; this prints what they cannot change. */
function sayChanges(
  { batch, tuned, leftOut }: Extract<Recorded, { readonly type: 'known' }>,
  { pricingFlags }: RunPlan,
  output: Output,
): void {
  if (pricingFlags.length > 0) output.say(`Its rows keep their original prices (${pricingFlags.join(', ')}).`);
  const words = describeTuning(tuned);
  if (words !== '') output.say(`Batch "${batch.name}" from now on: ${words}.`);
  if (leftOut > 0)
    output.say(`Batch "${batch.name}" is stopping: ${rowsInWords(leftOut)} that were left out before are not sent.`);
}

/** `20 of 100 rows`, if only those were selected; `continuing: 14 of 20 rows done` */
async function rowsOf(ledger: Ledger, { name, rows }: BatchRecord, isNew: boolean): Promise<string> {
  const counts = await ledger.counts(name);
  if (isNew) return chosenInWords(chosenOf(counts), rows);
  return `continuing: ${number(doneOf(counts))} of ${rowsInWords(chosenOf(counts))} done`;
}
