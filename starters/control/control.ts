import { nextCommand } from '../../contract/shell-word.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { workCommand } from '../../client/status/continue-command.ts';
import { viewControlResult } from '../../client/control/control-view.ts';
import { controlBatch, type ControlResult, type StillRunning } from '../../client/control/control-batch.ts';
import { isLedgerUnconfirmed } from '../../client/trust/known-ledgers.ts';
import { jsonLine, type RunContext } from '../terminal/output.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Control } from '../../contract/outcomes.ts';
import { withLedger } from '../connect/settings.ts';
import { pauseMessage } from '../terminal/pause-words.ts';
import { commandLine, form, number, plural } from '../terminal/words.ts';
import { inCredits } from '../terminal/money.ts';
import { tableLines } from '../terminal/table.ts';

/** Lets no more paid requests be sent; running jobs are still fetched. */
export const pause: ControlCommand = (name, flags, context) => control(name, 'paused', flags, context);
/** Continues a batch that a person, or voxbatch itself, has paused. */
export const resume: ControlCommand = (name, flags, context) => control(name, 'running', flags, context);
/** Cancels, for good, what was not sent; with `--now` also gives up running jobs. */
export const stop: ControlCommand = (name, flags, context) => control(name, 'stopping', flags, context);

/** `voxbatch pause|resume|stop [BATCH]`: takes the newest batch by default. */
type ControlCommand = (name: string | undefined, flags: Flags, context: RunContext) => Promise<ExitName>;

/**
 * Requests a control state of a batch, and prints the state that it then has, whoever caused it; see
 * `client/control/control-batch.ts`. Returns `complete`, or the exit of a batch that paused again at once.
 */
async function control(
  name: string | undefined,
  requested: Control,
  { json = false, now: isNow = false, out, reason }: Flags,
  { output }: RunContext,
): Promise<ExitName> {
  return withLedger<ExitName>(async (ledger, settings) => {
    const batch = await chooseBatch(ledger, name);
    const controlled = await controlBatch({
      settings,
      ledger,
      batch,
      control: requested,
      isNow,
      out,
      reason,
      say: output.say,
      onWait: () => {
        output.say('Waiting for the paid requests in flight (up to 3 minutes) …');
      },
    });
    const { after, stillRunning, pausedAgain } = controlled;
    const isCluster = settings.cluster !== undefined;
    const goOn = isLedgerUnconfirmed(settings, ledger) ? 'voxbatch trust' : commandLine(workCommand(after, isCluster));
    output.say(
      pausedAgain === undefined
        ? messageFor(controlled, { requested, isNow, goOn })
        : `It was resumed, and paused again at once. ${pauseMessage(after, { isDeserted: !controlled.isWorkedOn, isCluster })}`,
    );
    if (json) output.data(jsonLine(viewControlResult(controlled)));
    if (stillRunning !== undefined) {
      const isLeft = isNow || (after.state === 'closed' && stillRunning.jobs.length > 0);
      if (!json && isLeft) for (const line of jobLines(stillRunning)) output.data(line);
      for (const line of leftLines(stillRunning, after.name, { isLeft, goOn })) output.say(line);
    }
    return pausedAgain ?? 'complete';
  });
}

/** Returns what a stop leaves at the API, and how to get it. `isLeft`: nobody waits for its running jobs any more. */
function leftLines(
  { inFlight, jobs }: StillRunning,
  batch: string,
  { isLeft, goOn }: { readonly isLeft: boolean; readonly goOn: string },
): readonly string[] {
  const lines: string[] = [];
  if (inFlight > 0) {
    const requests = form(inFlight, 'paid request has', 'paid requests have');
    lines.push(
      `${inFlight} ${requests} no recorded answer. Find out what became of ${form(inFlight, 'it', 'them')}: ${goOn}`,
    );
  }
  if (jobs.length > 0 && isLeft) {
    const make = form(jobs.length, 'that job makes', `those ${number(jobs.length)} jobs make`);
    const fetch = commandLine(nextCommand('redrive', batch, '--where', 'outcome=overdue'));
    lines.push(`What ${make} can be fetched later for free: ${fetch}`);
  }
  return lines;
}

const VERBS: Readonly<Record<Control, string>> = { running: 'resume', paused: 'pause', stopping: 'stop' };

/** Returns the batch's state after the request, and how to go on. */
function messageFor(
  { before, after, isWorkedOn, elsewhere }: ControlResult,
  { requested, isNow, goOn }: { readonly requested: Control; readonly isNow: boolean; readonly goOn: string },
): string {
  const about = `Batch "${after.name}"`;
  const sendCancelled = commandLine(nextCommand('redrive', after.name, '--where', 'outcome=cancelled'));
  if (before.state === 'closed') return `${about} is finished; there is nothing to ${VERBS[requested]}.`;
  if (after.state === 'closed')
    return requested === 'stopping'
      ? `${about} is stopped; unsent rows are cancelled. This cannot be undone. To send them after all: ${sendCancelled}`
      : `${about} has finished meanwhile.`;
  const other =
    elsewhere === undefined
      ? ''
      : ` Its workers are those of another Temporal server, ${elsewhere}, and read this from the ledger.`;
  const next = isWorkedOn ? other : ` It has no worker now. Continue with: ${goOn}`;
  if (after.control === 'stopping') {
    if (requested !== 'stopping') return `${about} is stopping; this cannot be undone.`;
    const jobs = isNow ? 'running jobs are not waited for' : 'running jobs are still fetched';
    return `${about} is stopping: no more paid requests, ${jobs}, the rest is cancelled. This cannot be undone; once it has ended, to send the rest after all: ${sendCancelled}.${next}`;
  }
  const meanwhile = after.control === requested ? '' : ' (because of another command)';
  if (after.control === 'paused')
    return (
      `${about} is paused${meanwhile}: no more paid requests.${other} ` +
      `${isWorkedOn ? 'Running jobs are still fetched.' : 'It has no worker now, so nothing is fetched either.'} Continue with: ${commandLine(nextCommand('resume', after.name))}`
    );
  return `${about} continues${meanwhile}.${next}`;
}

/** Jobs in the table; `--json` has all. */
const MAX_JOBS = 20;

/** A table of running jobs, how many more there are, and their cost. */
function jobLines({ jobs, creditsOfJobs }: StillRunning): readonly string[] {
  if (jobs.length === 0) return ['None of its jobs is running at the API.'];
  const others = jobs.length - MAX_JOBS;
  const about = jobs.some((job) => job.creditsKind !== 'api') ? 'about ' : '';
  return [
    ...tableLines(COLUMNS, jobs.slice(0, MAX_JOBS)),
    ...(others > 0 ? [`and ${number(others)} more`] : []),
    `${plural(jobs.length, 'job is', 'jobs are')} running at the API: ${about}${inCredits(creditsOfJobs)}, ` +
      `charged now or when ${form(jobs.length, 'it ends', 'they end')}.`,
  ];
}

type Job = StillRunning['jobs'][number];

const COLUMNS = [
  { title: 'row', value: ({ row }: Job) => String(row), align: 'right' },
  { title: 'id', value: ({ id }: Job) => id },
  { title: 'step', value: ({ step }: Job) => step },
  { title: 'job', value: ({ jobId }: Job) => jobId ?? 'not known' },
  {
    title: 'credits',
    value: ({ credits, creditsKind }: Job) =>
      credits === null ? 'not known' : `${creditsKind === 'api' ? '' : '~'}${number(credits)}`,
    align: 'right',
  },
] as const;
