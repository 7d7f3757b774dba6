import { setTimeout as sleep } from 'node:timers/promises';
import type { FencedAttempt } from '../contract/batch.ts';
import { defined } from '../contract/defined.ts';
import { linkOf } from '../contract/row-kinds.ts';
import type { RowStanding } from '../ledger/record-types.ts';
import { nameOf, type Dependencies } from './dependencies.ts';
import { freshLink, NO_LINK_NEEDED, type Link, type NoLink, type ReadyLink } from './fresh-link.ts';
import { attemptOf, loadAttempt, loadBatch, type LoadedAttempt } from './load-attempt.ts';
import { giveBack } from './pace.ts';
import { recordIntent } from './record-intent.ts';
import { send } from './send.ts';
import { moveOf, reportStanding, withControl, type SubmitReport } from './submit-report.ts';

/** Pause before asking again for room under the in-flight limit while other processes use it up, ms. */
const FULL_PAUSE_MS = 50;

/**
 * Makes one attempt: at most one paid request, recorded before and after (docs/decisions/one-charge.md).
 *
 * 1. Reads the ledger; a verdict that is there is the answer, and nothing is sent.
 * 2. Gets what the request needs (the fresh link of a chain's speech), and waits for its turn.
 * 3. Records the intent, exclusively and synced (`record-intent.ts`).
 * 4. Waits for its very moment, looks once more at both clocks and at the signal, then sends (`send.ts`).
 * 5. Records the verdict (`record-verdict.ts`), then reports what the row needs next.
 *
 * `known`: how the row stood when its holder was last told. Nobody else works on it since, and the intent looks at all of it again.
 *
 * Aborting stops it before the intent. After the intent it ends the request in flight, whatever it takes. An error from then on
 * leaves with the attempt open: it is for reconcile, not to be queued again for the in-flight limit, under which
 * it still counts.
 */
export async function submit(
  deps: Dependencies,
  key: FencedAttempt,
  signal: AbortSignal,
  known?: RowStanding,
): Promise<SubmitReport> {
  const loaded =
    known === undefined ? await loadAttempt(deps, key) : attemptOf(key, await loadBatch(deps, key.batch), known);
  if (loaded.charge !== undefined || loaded.row.outcome !== null) return reportStanding(key, loaded);

  const need = linkOf(loaded.row.kind, key.step);
  const waiting: Waiting = { loaded, key, need, signal, mayBeOnRecord: false };
  try {
    const link = need === undefined ? NO_LINK_NEEDED : await freshLink(deps, loaded, key, need, signal);
    if (link.type !== 'ready') return await reportWithoutLink(deps, key, link);
    // Only from here on is there anything in flight; what comes before must not take the place of a request.
    const window = deps.inFlightLimits.of(key.batch, loaded.batch.settings.limits.submits);
    await window.enter();
    try {
      // Inside the window: whoever waits for that is no job yet, and must not be counted as one.
      const leave = await deps.concurrencyLimit.enter(deps, signal);
      try {
        return await sendInTurn(deps, waiting, link);
      } finally {
        leave();
      }
    } finally {
      window.leave();
    }
  } catch (error) {
    if (signal.aborted && !waiting.mayBeOnRecord) return deferred(key);
    throw error;
  }
}

/** An attempt that may go as soon as it has its turn. */
interface Waiting {
  readonly loaded: LoadedAttempt;
  readonly key: FencedAttempt;
  /** The link that its step needs of an earlier one. */
  readonly need: ReturnType<typeof linkOf>;
  readonly signal: AbortSignal;
  /** True from right before the intent is asked for. */
  mayBeOnRecord: boolean;
}

/** Is inside the in-flight limit of this process, and waits for its turn and for the limit of all processes. */
async function sendInTurn(deps: Dependencies, waiting: Waiting, early: ReadyLink): Promise<SubmitReport> {
  const { loaded, key, need, signal } = waiting;
  signal.throwIfAborted();
  await deps.atFaultPoint('before-intent');
  let link: Link = early;
  for (;;) {
    // Only inside the limit: others would use up turns while they wait for it, and then go all at once.
    const turn = await deps.pace.take(deps, 'create', key.batch, signal);
    // Turns and places may take longer than links live. The turn is kept meanwhile: its request goes late, and no other does.
    const isOld = deps.clock.now().monotonic > link.freshUntil;
    if (isOld && need !== undefined) link = await freshLink(deps, loaded, key, need, signal);
    if (link.type !== 'ready') {
      giveBack(turn);
      return reportWithoutLink(deps, key, link);
    }
    waiting.mayBeOnRecord = true;
    const intent = await recordIntent(deps, loaded, key, link, turn);
    if (intent.type === 'recorded') {
      const sending = { loaded, key, link, signal, intentAt: intent.askedAt, turn };
      return deps.sends.track(nameOf(key), send(deps, sending));
    }
    giveBack(turn);
    if (intent.type === 'refused') return intent.report;
    waiting.mayBeOnRecord = false;
    await sleep(FULL_PAUSE_MS, undefined, { signal });
  }
}

/** The link was not to be had; nothing was paid for. */
async function reportWithoutLink(
  deps: Dependencies,
  key: FencedAttempt,
  { type: state }: NoLink,
): Promise<SubmitReport> {
  if (state === 'ended') return { verdict: 'rejected', next: await moveOf(deps, key) };
  return withControl(deps, key, deferred(key));
}

function deferred({ row, step, take, attempt, fence }: FencedAttempt): SubmitReport {
  const at = { row, step, take, attempt, ...defined({ fence }) };
  return { verdict: 'deferred', next: { type: 'submit', at } };
}
