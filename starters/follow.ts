import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, Counts, ReasonCount } from '../ledger/record-types.ts';
import { linkNewMedia } from '../results/project.ts';
import type { Store } from '../store/store.ts';
import { goOnCommand, shellWord } from './go-on-command.ts';
import { isPausedByFailures } from '../batches/paused-by-failures.ts';
import type { WorkflowStanding } from '../client/start-workflow.ts';
import { haltMessage } from './terminal/next-steps.ts';
import type { Output } from './terminal/output.ts';
import { ProgressDisplay } from './terminal/progress.ts';
import { standstillTeller } from './standstill.ts';
import { isTokenRefused } from '../batches/token-refused.ts';

/** The batch's own record is looked at this often, ms: whoever waits for its end waits so much longer. */
const LOOK_EVERY_MS = 100;
/** Rows and money are counted, and the reasons of failures asked for, at most this often, ms. */
const COUNT_EVERY_MS = 200;
const REASONS_EVERY_MS = 1_000;
/** Either takes at most this share of the time: the dearer it is, the rarer. */
const COUNTING_SHARE = 0.02;
/** More reasons than this are not told apart when the rows that fail are counted. */
const MOST_REASONS = 100;
/** Media are linked to the out folder this often while following, ms. */
const LINK_EVERY_MS = 1_000;
/** The workflow is asked about this often, ms. */
const ASK_EVERY_MS = 5_000;
/** A workflow that was ended from outside is replaced so often; then something ends it that nobody here can mend. */
const MOST_RESTARTS = 3;

export interface FollowRequest {
  readonly ledger: Ledger;
  readonly store: Store;
  readonly batch: string;
  readonly out: string;
  readonly output: Output;
  readonly voxbatchVersion: string;
  /** Ends following early: Ctrl-C, or a fault of this machine. */
  readonly signal: AbortSignal;
  /** Wait through a pause (a person at a terminal can resume it) instead of returning; not where the token is refused. */
  readonly waitWhilePaused: boolean;
  /** This process is the one that fetches: a pause is only over with it when no job runs any more. */
  readonly fetchesHere: boolean;
  /** Asked now and then whether the workflow still runs. */
  readonly askWorkflow: () => Promise<WorkflowStanding>;
  /** Starts a new workflow for a batch that is open and has none that runs. */
  readonly startAgain: () => Promise<void>;
  /** Pause between two questions about the workflow, ms; default 5,000. */
  readonly askEveryMs?: number;
}

/** Why following ended. */
export type FollowEnd =
  | { readonly why: 'closed' | 'paused' | 'aborted'; readonly batch: BatchRecord }
  | { readonly why: 'broken'; readonly batch: BatchRecord; readonly message: string };

/** Follows a batch in the ledger, shows its progress and links new media, until it is closed, paused or broken. */
export async function followBatch(request: FollowRequest): Promise<FollowEnd> {
  const { ledger, output, signal } = request;
  const display = new ProgressDisplay(output);
  let linkedAt = 0;
  let linkedUpTo = 0;
  let saidPause = false;
  let saidStop = false;
  let saidSilence = false;
  const tellStandstill = standstillTeller({ ledger, worksHere: request.fetchesHere }, (line) => {
    display.interrupt();
    output.say(line);
  });
  let restarts = 0;
  let askAt = 0;
  const sums = rarely(COUNT_EVERY_MS, async () => ({
    counts: await ledger.counts(request.batch),
    money: await ledger.money(request.batch),
  }));
  const reasons = rarely(REASONS_EVERY_MS, () => ledger.commonReasons(request.batch, MOST_REASONS));
  for (;;) {
    const batch = await ledger.findBatch(request.batch);
    if (batch === undefined) throw new Error(`Batch "${request.batch}" is no longer in the ledger.`);
    const isLast = batch.state === 'closed' || signal.aborted;
    let standing = { batch, ...(await sums(isLast)), reasons: await reasons(false) };
    const paused = batch.control === 'paused' && batch.state !== 'closed';
    const waits = request.waitWhilePaused && !isTokenRefused(batch);
    const isIdle = (): boolean => !(request.fetchesHere && canFetch(standing));
    // Old sums may say that nothing runs where something does.
    if (paused && !waits && isIdle()) standing = { batch, ...(await sums(true)), reasons: await reasons(true) };
    const leaves = paused && !waits && isIdle();
    display.show(standing, isLast || leaves);
    if (batch.state === 'closed') return { why: 'closed', batch };
    if (signal.aborted) return { why: 'aborted', batch };
    if (leaves) return { why: 'paused', batch };
    if (paused && !saidPause) {
      display.interrupt();
      // Whoever does not wait ends soon, and if it is the one that works, nobody is left.
      output.say(pauseMessage(batch, { isDeserted: request.fetchesHere && !waits }));
      output.say(waitMessage(batch, waits));
    }
    saidPause = paused;
    const stopping = batch.control === 'stopping';
    if (stopping && !saidStop) {
      display.interrupt();
      output.say(stopMessage(batch));
    }
    saidStop = stopping;
    if (performance.now() - linkedAt >= LINK_EVERY_MS) {
      linkedAt = performance.now();
      const since = Date.now() - 1_000;
      await linkNewMedia({ ...request, complete: false }, linkedUpTo);
      linkedUpTo = since;
    }
    if (performance.now() >= askAt) {
      askAt = performance.now() + (request.askEveryMs ?? ASK_EVERY_MS);
      await tellStandstill(batch);
      const workflow = await request.askWorkflow();
      // The workflow closes the batch before it ends, so only what the ledger says after that counts.
      const hasEnded = workflow.is === 'completed' || workflow.is === 'ended';
      if (hasEnded && (await ledger.findBatch(batch.name))?.state === 'open') {
        if (workflow.is === 'ended') {
          if (restarts === MOST_RESTARTS) return { why: 'broken', batch, message: workflow.message };
          restarts += 1;
          display.interrupt();
          output.say(`${workflow.message} It continues with a new one.`);
        }
        await request.startAgain();
      }
      if (workflow.is === 'silent' && !saidSilence) {
        display.interrupt();
        output.say('Temporal does not answer. This command and the workers wait for it.');
      }
      saidSilence = workflow.is === 'silent';
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Asks for something that may be as old as it is worth: at most every so many ms, and the dearer the answer is, the rarer.
 * Called with true it asks at once.
 */
function rarely<T>(everyMs: number, ask: () => Promise<T>): (now: boolean) => Promise<T> {
  let last: { readonly answer: T; readonly holdsUntil: number } | undefined;
  return async (now) => {
    const begun = performance.now();
    if (last !== undefined && !now && begun < last.holdsUntil) return last.answer;
    const answer = await ask();
    const end = performance.now();
    last = { answer, holdsUntil: end + Math.max(everyMs, (end - begun) / COUNTING_SHARE) };
    return answer;
  };
}

/** True if jobs run whose results can be had: without a good token not even reading works, and some results fail again and again. */
function canFetch({ batch, counts, reasons }: FetchStanding): boolean {
  const { states } = counts;
  const failing = isPausedByFailures(batch) ? reasons.reduce((sum, { open }) => sum + open, 0) : 0;
  return !isTokenRefused(batch) && states.submitting + states.processing + states.fetching > failing;
}

interface FetchStanding {
  readonly batch: BatchRecord;
  readonly counts: Counts;
  readonly reasons: readonly ReasonCount[];
}

/** What a command does while the batch is paused. */
function waitMessage({ settings }: BatchRecord, waits: boolean): string {
  const minutes = String(Math.ceil(settings.jobDeadlineMs / 60_000));
  return waits
    ? 'This command waits until then. Ctrl-C is safe.'
    : `This command first fetches running jobs, for at most ${minutes} minutes. Ctrl-C is safe.`;
}

/** What a batch that is being stopped still does. */
function stopMessage({ name, halted }: BatchRecord): string {
  const why = halted === null ? `Batch "${name}" is stopping.` : haltMessage(halted);
  return `${why} No more paid requests are sent; the rest is cancelled.`;
}

/**
 * What a paused batch needs, with the next command. Where nobody works on it, `resume` alone would only send one on to `run`, and
 * `run` alone goes on only after a pause that the batch made by itself.
 */
export function pauseMessage(batch: BatchRecord, { isDeserted }: { readonly isDeserted: boolean }): string {
  const name = shellWord(batch.name);
  const resume = `voxbatch resume ${name}`;
  const run = goOnCommand(batch);
  const isByPerson = batch.pauseReason === null || isPausedByFailures(batch);
  const goOn = !isDeserted ? resume : isByPerson ? `${resume} && ${run}` : run;
  switch (batch.pauseReason?.class) {
    case 'OutOfCredits':
      return `Batch "${batch.name}" is paused: out of credits (${batch.pauseReason.message}). Top up the account, then: ${goOn}`;
    case 'BadToken':
      return `Batch "${batch.name}" is paused: the API refused the token (${batch.pauseReason.message}). Set VOXBATCH_API_TOKEN, then run the same command again: ${run}`;
    case undefined:
      return `Batch "${batch.name}" is paused. Continue with: ${goOn}`;
    default:
      return (
        `Batch "${batch.name}" is paused: ${batch.pauseReason?.message ?? ''}. Running jobs are still fetched; nothing more is sent. Check the ` +
        `results: voxbatch status ${name}. When it is fixed, continue with: ${goOn}. To turn this check off: voxbatch tune ${name} --halt never`
      );
  }
}
