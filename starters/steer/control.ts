import { steerBatch } from '../../client/steer/steer-batch.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Control } from '../../contract/outcomes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { creditsOf, runningJobs } from '../../batches/look/running-jobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { isStranger } from '../../client/trust/known-ledgers.ts';
import { goOnCommand } from '../terminal/go-on-command.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { atLedger } from '../at-ledger.ts';
import { jobLines, jobsJson } from '../terminal/job-table.ts';
import type { Output } from '../terminal/output.ts';
import { number } from '../terminal/words.ts';

export interface ControlFlags {
  readonly json?: boolean;
  /** With `stop`: wait for no job. */
  readonly now?: boolean;
}

/** What a person wants a batch to do. */
export type Wish = Control;

/**
 * `voxbatch pause|resume|stop [BATCH]`; see `client/steer/steer-batch.ts`. Prints the batch's state at the end, whoever
 * caused it.
 */
export async function control(
  name: string | undefined,
  wish: Wish,
  flags: ControlFlags,
  output: Output,
): Promise<ExitName> {
  return atLedger<ExitName>(async (ledger, settings) => {
    const before = await chooseBatch(ledger, name);
    const isNow = flags.now === true;
    const { after, isWorkedOn } = await steerBatch({
      settings,
      ledger,
      batch: before,
      wish,
      isNow,
      say: output.say,
      onWait: () => {
        output.say('Waiting for the paid requests in flight (up to 3 minutes) …');
      },
    });
    const goOn = isStranger(settings, ledger) ? 'voxbatch trust' : goOnCommand(after);
    await report({ ledger, before, after, goOn, wish, isNow, isWorkedOn, flags, output });
    return 'complete';
  });
}

interface Told {
  readonly ledger: Ledger;
  readonly before: BatchRecord;
  readonly after: BatchRecord;
  /** The command that continues it. */
  readonly goOn: string;
  readonly wish: Wish;
  readonly isNow: boolean;
  readonly isWorkedOn: boolean;
  readonly flags: ControlFlags;
  readonly output: Output;
}

async function report(told: Told): Promise<void> {
  const { ledger, after, wish, flags, output } = told;
  const { name: batch, state, control, halted } = after;
  output.say(messageFor(told));
  if (wish !== 'stopping') {
    if (flags.json === true) output.data(JSON.stringify({ batch, state, control, halted }));
    return;
  }
  const jobs = await runningJobs(ledger, batch);
  const onTheWire = (await ledger.sending(batch)).length;
  if (flags.json === true) {
    const credits = creditsOf(jobs);
    output.data(
      JSON.stringify({
        batch,
        state,
        control,
        halted,
        on_the_wire: onTheWire,
        credits_of_jobs: credits,
        jobs: jobsJson(jobs),
      }),
    );
  } else if (told.isNow || (state === 'closed' && jobs.length > 0)) {
    for (const line of jobLines(jobs)) output.data(line);
  }
  const word = shellWord(batch);
  if (onTheWire > 0) {
    const [requests, them] = onTheWire === 1 ? ['paid request has', 'it'] : ['paid requests have', 'them'];
    output.say(`${onTheWire} ${requests} no recorded answer. Find out what became of ${them}: ${told.goOn}`);
  }
  if (jobs.length > 0 && (told.isNow || state === 'closed'))
    output.say(
      `What ${jobs.length === 1 ? 'that job makes' : `those ${number(jobs.length)} jobs make`} can be fetched later for free: voxbatch redrive ${word} --where outcome=overdue`,
    );
}

const VERBS: Readonly<Record<Control, string>> = { running: 'resume', paused: 'pause', stopping: 'stop' };

function messageFor({ before, after, goOn, wish, isNow, isWorkedOn }: Told): string {
  const about = `Batch "${after.name}"`;
  if (before.state === 'closed') return `${about} is finished; there is nothing to ${VERBS[wish]}.`;
  if (after.state === 'closed')
    return wish === 'stopping' ? `${about} is stopped; unsent rows are cancelled.` : `${about} has finished meanwhile.`;
  const next = isWorkedOn ? '' : ` It has no worker now. Continue with: ${goOn}`;
  if (after.control === 'stopping') {
    if (wish !== 'stopping') return `${about} is stopping; this cannot be undone.`;
    const jobs = isNow ? 'running jobs are not waited for' : 'running jobs are still fetched';
    return `${about} is stopping: no more paid requests, ${jobs}, the rest is cancelled.${next}`;
  }
  const meanwhile = after.control === wish ? '' : ' (because of another command)';
  if (after.control === 'paused')
    return (
      `${about} is paused${meanwhile}: no more paid requests. ` +
      `${isWorkedOn ? 'Running jobs are still fetched.' : 'It has no worker now, so nothing is fetched either.'} Continue with: voxbatch resume ${shellWord(after.name)}`
    );
  return `${about} continues${meanwhile}.${next}`;
}
