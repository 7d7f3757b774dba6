import { defined } from '../contract/defined.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptKey, BatchSettings, FencedAttempt } from '../contract/batch.ts';
import { reportOf, type SubmitReport } from './submit-report.ts';
import { operationOf } from '../contract/row-kinds.ts';
import { quoteStep } from '../policy/pricing.ts';
import { stepsAfter } from '../policy/row-machine.ts';
import type { Instant } from '../policy/send-deadline.ts';
import type { Intent } from '../ledger/charge-methods.ts';
import type { RowStanding } from '../ledger/record-types.ts';
import { nameOf, type Dependencies } from './dependencies.ts';
import { freshLink, isOld, type Link, type NoLink, type ReadyLink } from './fresh-link.ts';
import { attemptOf, loadAttempt, loadBatch, moveAfter, moveOf, ownCharge, type LoadedAttempt } from './load-attempt.ts';
import { hashOf } from './look-up-lost.ts';
import { patienceOf } from './pace.ts';
import { send } from './send.ts';

/** Pause before asking again for room under the in-flight limit while other processes use it up, ms. */
const FULL_PAUSE_MS = 50;

/**
 * Makes one attempt: at most one paid request, recorded before and after (docs/decisions/one-charge.md).
 *
 * 1. Reads the ledger; a verdict that is there is the answer, and nothing is sent.
 * 2. Gets what the request needs (the fresh link of a chain's speech), and waits for its turn.
 * 3. Records the intent, exclusively and synced.
 * 4. Waits for its very moment, looks once more at both clocks and at the signal, then sends.
 * 5. Records the verdict, then reports what the row needs next.
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
  if (loaded.charge !== undefined || loaded.row.outcome !== null) return reportStanding(loaded, key);

  const record = { mayExist: false };
  try {
    const early = await freshLink(deps, loaded, key, signal);
    if (early.state !== 'ready') return await reportWithoutLink(deps, key, early);
    const { settings } = await loadBatch(deps, key.batch);
    // Only from here on is there anything in flight; what comes before must not take the place of a request.
    const ready = { loaded, key, early, signal, record };
    return await deps.inFlightLimits.of(key.batch, settings.limits.submits)(() => sendWhereRoom(deps, ready));
  } catch (error) {
    if (signal.aborted && !record.mayExist) return deferred(key);
    throw error;
  }
}

/** Already inside the in-flight limit: whoever waits for that is no job yet, and must not be counted as one. */
async function sendWhereRoom(deps: Dependencies, ready: Ready): Promise<SubmitReport> {
  const leave = await deps.concurrencyLimit.enter(deps, ready.signal);
  try {
    return await sendOnce(deps, ready);
  } finally {
    leave();
  }
}

/** An attempt that may go as soon as it has its turn. */
interface Ready {
  readonly loaded: LoadedAttempt;
  readonly key: FencedAttempt;
  readonly early: ReadyLink;
  readonly signal: AbortSignal;
  /** True from right before the intent is asked for. */
  readonly record: { mayExist: boolean };
}

/** Is inside the in-flight limit of this process, and waits for that of all processes. */
async function sendOnce(deps: Dependencies, { loaded, key, early, signal, record }: Ready): Promise<SubmitReport> {
  signal.throwIfAborted();
  await deps.atFaultPoint('before-intent');
  let link: Link = early;
  for (;;) {
    // Only inside the limit: others would use up turns while they wait for it, and then go all at once.
    const turn = await deps.pace.take(deps, 'create', key.batch, signal);
    // Turns and places may take longer than links live. The turn is kept meanwhile: its request goes late, and no other does.
    if (isOld(link, deps.clock.now())) link = await freshLink(deps, loaded, key, signal);
    if (link.state !== 'ready') {
      deps.pace.giveBack(turn);
      return reportWithoutLink(deps, key, link);
    }
    const ready: ReadyLink = link;
    record.mayExist = true;
    const intent = await intend(deps, loaded, key, ready, patienceOf(deps, turn));
    if (intent !== 'full' && !('verdict' in intent)) {
      return deps.sends.run(nameOf(key), () =>
        send(deps, { loaded, key, link: ready, signal, intentAt: intent, turn }),
      );
    }
    deps.pace.giveBack(turn);
    if (intent !== 'full') return intent;
    record.mayExist = false;
    await sleep(FULL_PAUSE_MS, undefined, { signal });
  }
}

/**
 * Records the intent. Returns when that was asked for, which is before the record was made, so that a process that stands still in
 * between notices it; or the report of a request that may not be sent; or `full`: to be asked again.
 */
async function intend(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: FencedAttempt,
  link: ReadyLink,
  patienceMs: number,
): Promise<Instant | SubmitReport | 'full'> {
  // Read anew each time: the user may change them while this waits.
  const { settings } = await loadBatch(deps, key.batch);
  const askedAt = deps.clock.now();
  const intent = await deps.ledger.intend(key, {
    ...quotesOf(loaded, key, settings),
    owner: deps.owner,
    maxSending: settings.limits.submits,
    patienceMs,
    ...defined({ fence: key.fence }),
    ...(link.link === undefined ? {} : { linkHash: hashOf(link.link.url) }),
  });
  switch (intent.type) {
    case 'go':
      return askedAt;
    case 'blocked':
      return {
        ...reportOf('blocked', moveAfter(key, intent.row, intent.charges), intent),
        ...(await controlOf(deps, key.batch)),
      };
    case 'over-budget':
      return reportOf('skipped', moveAfter(key, intent.row, intent.charges), intent);
    case 'exists':
      return reportStanding(intent, key);
    case 'full':
      return 'full';
  }
}

/** The link was not to be had; nothing was paid for. */
async function reportWithoutLink(deps: Dependencies, key: FencedAttempt, { state }: NoLink): Promise<SubmitReport> {
  if (state === 'ended') return { verdict: 'rejected', next: await moveOf(deps, key) };
  return { ...deferred(key), ...(await controlOf(deps, key.batch)) };
}

/** What the request costs, and the later steps of its row with it. */
function quotesOf(
  { operation, row }: LoadedAttempt,
  { step }: AttemptKey,
  { prices, tts }: BatchSettings,
): Pick<Intent, 'quoted' | 'quotedRest'> {
  const rest = stepsAfter(row.kind, step).map((later) =>
    quoteStep(operationOf(row.kind, later, tts), row.spec, prices),
  );
  const quotedRest = rest.reduce((sum, quote) => (sum === null || quote === null ? null : sum + quote), 0);
  return { quoted: quoteStep(operation, row.spec, prices), quotedRest };
}

/** What the user lets the batch do, where that is not to run. */
async function controlOf(deps: Dependencies, batch: string): Promise<Pick<SubmitReport, 'control'>> {
  const { control } = await loadBatch(deps, batch);
  return control === 'running' ? {} : { control };
}

function deferred(key: FencedAttempt): SubmitReport {
  const { row, step, take, attempt, fence } = key;
  const at = { row, step, take, attempt, ...defined({ fence }) };
  return { verdict: 'deferred', next: { do: 'submit', at } };
}

/** What stands in the ledger is the answer. An attempt without a verdict is for reconcile, never for a second send. */
function reportStanding(standing: RowStanding, key: FencedAttempt): SubmitReport {
  const state = ownCharge(key, standing.charges)?.state;
  const verdict = state === undefined || state === 'sending' ? 'deferred' : state;
  return reportOf(verdict, moveAfter(key, standing.row, standing.charges), standing);
}
