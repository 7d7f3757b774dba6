import { areRowsCleaned } from '../../batches/clean/cleaned-rows.ts';
import { isOnRecord, isNameTaken, planManifest, type ManifestPlan } from '../../batches/plan/plan-manifest.ts';
import { resolveManifest, type PricingEvent } from '../../batches/plan/price.ts';
import type { ManifestWarning } from '../../contract/manifest-problems.ts';
import type { CheckedManifest } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { freeSpace } from '../../store/open-store.ts';
import type { AccountRead } from '../account/account-functions.ts';
import { requireStore } from '../claim-store.ts';
import type { Account } from '../../contract/names.ts';
import { reportReadOnly, openRecordsIfAny } from '../open-records.ts';
import { VoxbatchError } from '../problem.ts';
import type { Settings } from '../settings.ts';
import { isLedgerUnconfirmed } from '../trust/known-ledgers.ts';
import { resolveListedVoices, NO_VOICES } from '../voices/resolve-voices.ts';
import { checkAsNewBatch, checkRun, type CheckRequest, type SoundRun } from './check-run.ts';
import { planView, type FinishedOnRecord, type PlanView } from './plan-view.ts';
import { identifyWithEvents, type IdentifyEvent } from './price.ts';

/** Events while a manifest is planned. */
export type PlanEvent =
  | PricingEvent
  | IdentifyEvent
  /** The manifest's warnings, which do not prevent a run. */
  | { readonly type: 'checked'; readonly warnings: readonly ManifestWarning[] };

/** A manifest to plan. */
export interface PlanRequest extends CheckRequest {
  /** Reads the token's account, undefined if unknown, and its balance. */
  readonly readAccount: () => Promise<AccountRead>;
  /** The bill is already confirmed. */
  readonly yes: boolean;
  /** Called with each event. Default: no-op. */
  readonly onEvent?: (event: PlanEvent) => void;
}

/** A plan of a manifest, or why there is none, as programs get it. */
export type PlanAnswer = ManifestPlan | Exclude<CheckedManifest, { readonly type: 'sound' }>;

/** The same as the command line shows it. */
export type ViewedPlan =
  { readonly type: 'planned'; readonly view: PlanView } | Exclude<CheckedManifest, { readonly type: 'sound' }>;

/**
 * Validates and prices a manifest as a run would: what would be sent and why, what would remain of balance and disk,
 * and whether the run would start. Reads the file, the ledger, the account, the voice list and the linked media.
 * Changes nothing and spends nothing. Throws {@link VoxbatchError} (`machine`, `voices-unread`).
 */
export async function planRun(request: PlanRequest): Promise<ViewedPlan> {
  const ledger = await openRecordsIfAny(request.settings);
  if (ledger !== undefined) await reportReadOnly(request.settings, ledger);
  try {
    const run = await checkRun(request);
    if (run.type !== 'sound') return run;
    return await planSound(request, run, ledger);
  } finally {
    await ledger?.close();
  }
}

/** Prices a valid manifest, and gathers everything that its plan shows. */
async function planSound(request: PlanRequest, found: SoundRun, ledger: Ledger | undefined): Promise<ViewedPlan> {
  const { source, settings, apiUrl, access, onEvent } = request;
  const { account, balance } = await request.readAccount();
  const identified = { ...found.plan, source, checked: found.checked, ledger, account };
  // The manifest was read as one of the batch of this name, in which long texts are not checked. If that is another
  // batch, a run refuses the name; the plan then shows what a run under another name would do.
  const { plan, checked } = ((await isNameTaken(identified)) ? await checkAsNewBatch(request) : undefined) ?? found;
  onEvent?.({ type: 'checked', warnings: checked.summary.warnings });
  const isKnown = await isOnRecord(ledger, plan.name, checked);
  const resolved = await resolveManifest({
    ...plan,
    ...{ source, checked, apiUrl, onEvent },
    voices: () => (isKnown ? Promise.resolve(NO_VOICES) : resolveListedVoices(checked, access, ledger)),
  });
  if (resolved.type === 'unread')
    throw new Error('An unreadable list of voices should have been reported by resolveListedVoices.');
  if (resolved.type === 'faulty') return resolved;
  const identify = identifyWithEvents(onEvent);
  const planned = await planManifest({ ...plan, source, checked: resolved.checked, ledger, account, identify });
  const view = planView({
    ...{ manifest: source.label, plan, planned, balance, yes: request.yes },
    ...{ checked: resolved.checked.summary, voices: resolved.voices },
    counts: planned.type === 'new' ? undefined : await ledger?.counts(plan.name),
    finished: await finishedOnRecord(ledger, planned),
    isCleaned: planned.type === 'known' && areRowsCleaned(planned.batch),
    disk: { free: await freeSpace(settings.store), store: settings.store },
    placeProblem:
      (await storeProblem(settings, ledger)) ??
      (planned.type === 'new' ? await outProblem(plan, checked, account, ledger, settings) : undefined) ??
      (planned.type === 'known' && ledger !== undefined
        ? await problemOf(async () => (await loadOutChecks()).refuseForgottenRequests(plan.out, planned.batch, ledger))
        : undefined),
    records: ledger === undefined ? 'none' : isLedgerUnconfirmed(settings, ledger) ? 'unconfirmed' : 'known',
  });
  return { type: 'planned', view };
}

/** Reads what determines the next steps if the manifest's batch is finished. Undefined for any other plan. */
async function finishedOnRecord(
  ledger: Ledger | undefined,
  planned: ManifestPlan,
): Promise<FinishedOnRecord | undefined> {
  if (ledger === undefined || planned.type !== 'known' || planned.batch.state !== 'closed') return undefined;
  const { batch } = planned;
  const [counts, money] = [await ledger.counts(batch.name), await ledger.money(batch.name)];
  const [{ gatherLeftovers }, { viewPilot }] = await Promise.all([
    import('../../batches/status/leftovers.ts'),
    import('../../batches/subset/pilot.ts'),
  ]);
  const [leftovers, pilot] = [await gatherLeftovers(ledger, batch, counts), await viewPilot(ledger, batch)];
  return { batch, counts, money, leftovers, pilot };
}

/**
 * Why a run would refuse this store; undefined if it would not. Without a ledger, everything is priced as if nothing
 * had been paid for; if the ledger was deleted, the store, which belongs to it, is the only sign.
 */
async function storeProblem(settings: Settings, ledger: Ledger | undefined): Promise<VoxbatchError | undefined> {
  const nothing = (): Promise<undefined> => Promise.resolve(undefined);
  const noLedger = { id: '', place: settings.ledger, findStoredFile: nothing, storeId: nothing };
  return problemOf(() => requireStore(settings, ledger ?? noLedger));
}

/** Why a run of a new batch would refuse its out folder; undefined if it would not, or there is no ledger to ask. */
async function outProblem(
  plan: SoundRun['plan'],
  { summary: { digest } }: SoundRun['checked'],
  account: Account | undefined,
  ledger: Ledger | undefined,
  settings: Settings,
): Promise<VoxbatchError | undefined> {
  if (ledger === undefined) return undefined;
  return problemOf(async () => {
    const { requireOwnOut, refuseForgottenBatch } = await loadOutChecks();
    const identity = account && { name: plan.name, digest: digest ?? '', ...account };
    if (identity !== undefined) await requireOwnOut(plan.out, identity, ledger);
    const {
      name,
      out,
      settings: { cache },
    } = plan;
    await refuseForgottenBatch({ name, out, cache }, identity, ledger, settings);
  });
}

/** Loaded only if there is a ledger: without one, nothing is known about a folder's files. */
const loadOutChecks = () => import('../results/claim-out.ts');

/** Runs a check and returns the {@link VoxbatchError} that it throws; undefined if it passes. */
async function problemOf(check: () => Promise<void>): Promise<VoxbatchError | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof VoxbatchError) return error;
    throw error;
  }
}
