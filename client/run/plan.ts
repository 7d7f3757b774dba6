import { areRowsCleaned } from '../../batches/clean/clean-batch.ts';
import { isOnRecord, isTaken, planManifest, type ManifestPlan } from '../../batches/plan/plan-manifest.ts';
import { learn, type PricingEvent } from '../../batches/plan/price.ts';
import type { ManifestWarning } from '../../contract/manifest-problems.ts';
import type { CheckedManifest } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { freeSpace } from '../../store/open-store.ts';
import type { AccountRead } from '../account/account-functions.ts';
import { requireStore } from '../claim-store.ts';
import { openRecordsIfAny } from '../open-records.ts';
import { VoxbatchError } from '../problem.ts';
import type { Settings } from '../settings.ts';
import { isStranger } from '../trust/known-ledgers.ts';
import { knowListedVoices, NO_VOICES } from '../voices/know-voices.ts';
import { checkAnew, checkRun, type CheckRequest, type SoundRun } from './check-run.ts';
import { planView, type FinishedOnRecord, type PlanView } from './plan-view.ts';
import { identifyTelling, type IdentifyEvent } from './price.ts';

/** What is told while a manifest is planned. */
export type PlanEvent =
  | PricingEvent
  | IdentifyEvent
  /** What is odd about the manifest; no reason not to run it. */
  | { readonly type: 'checked'; readonly warnings: readonly ManifestWarning[] };

/** A manifest that is to be planned. */
export interface PlanRequest extends CheckRequest {
  /** Reads the account of the token, undefined if it is not known, and its balance. */
  readonly readAccount: () => Promise<AccountRead>;
  /** The bill is confirmed already. */
  readonly yes: boolean;
  /** Default: nobody is told. */
  readonly tell?: (event: PlanEvent) => void;
}

/** A plan of a manifest, or why there is none. */
export type PlanAnswer = ManifestPlan | Exclude<CheckedManifest, { readonly type: 'sound' }>;

/** The plan of a manifest with all that is shown of it, or why there is none. */
export type ViewedPlan =
  { readonly type: 'planned'; readonly view: PlanView } | Exclude<CheckedManifest, { readonly type: 'sound' }>;

/**
 * Checks and prices a manifest as a run of it would: what would be sent and why, what would be left of balance and disk, and whether it would
 * start. Reads the file, the ledger, the account, the list of voices, and what is behind links. Changes nothing, spends nothing. Throws
 * {@link VoxbatchError} (`machine`, `voices-unread`).
 */
export async function planRun(request: PlanRequest): Promise<ViewedPlan> {
  const ledger = await openRecordsIfAny(request.settings);
  try {
    const run = await checkRun(request);
    if (run.type !== 'sound') return run;
    return await planSound(request, run, ledger);
  } finally {
    await ledger?.close();
  }
}

async function planSound(request: PlanRequest, found: SoundRun, ledger: Ledger | undefined): Promise<ViewedPlan> {
  const { source, settings, apiUrl, access, tell } = request;
  const { account, balance } = await request.readAccount();
  const named = { ...found.plan, checked: found.checked, ledger, account };
  // A text that is too long is no reason to say so instead of the name, which a run refuses first.
  const { plan, checked } = ((await isTaken(named)) ? await checkAnew(request) : undefined) ?? found;
  tell?.({ type: 'checked', warnings: checked.summary.warnings });
  const isKnown = await isOnRecord(ledger, plan.name, checked);
  const learnt = await learn({
    ...plan,
    ...{ source, checked, apiUrl, tell },
    voices: () => (isKnown ? Promise.resolve(NO_VOICES) : knowListedVoices(checked, access, ledger)),
  });
  if (learnt.type === 'unread') throw new Error('Whoever knows voices has read their list.');
  if (learnt.type === 'faulty') return learnt;
  const identify = identifyTelling(tell);
  const planned = await planManifest({ ...plan, source, checked: learnt.checked, ledger, account, identify });
  const view = planView({
    ...{ manifest: source.label, plan, planned, balance, yes: request.yes },
    ...{ checked: learnt.checked.summary, voices: learnt.voices },
    counts: planned.type === 'new' ? undefined : await ledger?.counts(plan.name),
    finished: await finishedOnRecord(ledger, planned),
    isCleaned: planned.type === 'known' && areRowsCleaned(planned.batch),
    disk: { free: await freeSpace(settings.store), store: settings.store },
    storeProblem: await storeProblem(settings, ledger),
    records: ledger === undefined ? 'none' : isStranger(settings, ledger) ? 'unconfirmed' : 'known',
  });
  return { type: 'planned', view };
}

/** What can be done about the rows of a finished batch depends on this. Undefined for any other plan. */
async function finishedOnRecord(
  ledger: Ledger | undefined,
  planned: ManifestPlan,
): Promise<FinishedOnRecord | undefined> {
  if (ledger === undefined || planned.type !== 'known' || planned.batch.state !== 'closed') return undefined;
  const { batch } = planned;
  const [counts, money] = [await ledger.counts(batch.name), await ledger.money(batch.name)];
  const [{ gatherLeftovers }, { viewPilot }] = await Promise.all([
    import('../../batches/look/leftovers.ts'),
    import('../../batches/subset/pilot.ts'),
  ]);
  const [leftovers, pilot] = [await gatherLeftovers(ledger, batch, counts), await viewPilot(ledger, batch)];
  return { batch, counts, money, leftovers, pilot };
}

/**
 * Why a run would refuse to work with this store; undefined: it would not. Where the ledger was deleted, the store says so, and
 * nothing else would: all is priced as if nothing had ever been paid.
 */
async function storeProblem(settings: Settings, ledger: Ledger | undefined): Promise<VoxbatchError | undefined> {
  const none = { id: '', place: settings.ledger, findStoredFile: () => Promise.resolve(undefined) };
  try {
    await requireStore(settings, ledger ?? none);
    return undefined;
  } catch (error) {
    if (error instanceof VoxbatchError) return error;
    throw error;
  }
}
