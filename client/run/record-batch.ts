import type { By } from '../../contract/actions.ts';
import type { SoundManifest } from '../../inputs/read-manifest.ts';
import { findOrLoadBatch } from '../../batches/load-batch.ts';
import { digestFor, type TakenName } from '../../batches/taken-name.ts';
import type { BatchSettings } from '../../contract/batch.ts';
import { valuesOf, type Tuning } from '../../contract/tunables.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { budgetFor } from '../../policy/money/budget.ts';
import type { SpendFacts } from '../../contract/spend.ts';
import { applyTuning, changedTunables } from '../../policy/tuning.ts';
import { wrapMachineFaults } from '../machine-faults.ts';
import { realmOf, type ConnectedApi } from '../connect-api.ts';
import { payerOf, type Person, approve, type NotApproved } from '../person.ts';
import { byPerson } from '../history/by-person.ts';
import { requireStore } from '../claim-store.ts';
import { requireNamespace, requireOwnServer } from '../temporal/require-server.ts';
import { identifyMedia, identifyWithEvents, priceAndApprove, type BillEvent, type Billed } from './price.ts';
import {
  selectLeftOut,
  type LeftOutSelection,
  hasLeftOutRows,
  openNewlyChosen,
} from '../../batches/plan/select-left-out.ts';
import { billRemaining, type NewlyChosen } from '../../batches/plan/bill-remaining.ts';
import type { IdentifyMedia } from '../../batches/cache/media-identities.ts';
import type { CacheMode } from '../../contract/cache-modes.ts';
import type { RowReasons } from '../../policy/plan/reason-groups.ts';
import {
  claimOut,
  refuseForgottenBatch,
  requireOwnOut,
  refuseForgottenRequests,
  requireWritableOut,
} from '../results/claim-out.ts';
import type { Session } from '../session.ts';
import { requirePort } from '../webhooks/webhook-listener.ts';
import type { WebhookSettings } from '../webhooks/webhook-options.ts';
import { requirePrices } from '../control/control-batch.ts';
import { areRowsCleaned } from '../../batches/clean/cleaned-rows.ts';
import { budgetLeftFor } from '../../batches/redrive/redrive.ts';

/** The plan of a new batch, or of an existing one to continue. */
export interface BatchPlan {
  readonly name: string;
  /** Absolute path of the out folder; null if it has none. */
  readonly out: string | null;
  readonly settings: BatchSettings;
  /**
   * Whether an option, or the configuration for this manifest, says how rows are read; if not, an existing batch keeps
   * its own options.
   */
  readonly givesReading: boolean;
  /** Whether a file name template was given; if not, an existing batch keeps its own. */
  readonly givesTemplate: boolean;
  /** Whether the configuration says how rows are read. Default false. */
  readonly isConfigured?: boolean;
  /** The given tunables, which also apply to an existing batch. */
  readonly tuning: Tuning;
  /** Bills above this many credits need confirmation; null means none do. */
  readonly confirmAbove: number | null;
  /** Probe media without a stated length, to price a new batch. */
  readonly probe: boolean;
}

/** The price of rows that an existing batch left out. `budget` is the rest of the batch's budget. */
export interface MoreFacts extends SpendFacts {
  readonly bill: MoreRows['bill'];
  readonly isBudgetLeft: true;
  readonly batch: string;
  /** The batch budget that would cover all of it. */
  readonly budgetNeeded: number;
}

/** Events while a manifest becomes a batch. */
export type RecordEvent =
  | BillEvent
  /** The existing batch of this name; emitted before anything is asked or changed. */
  | { readonly type: 'found'; readonly batch: BatchRecord | undefined }
  /** Rows left out by earlier runs; emitted before anybody is asked about them. */
  | { readonly type: 'more'; readonly more: MoreRows };

/** A valid manifest that is to become a batch. */
export interface RecordRequest {
  readonly session: Session;
  readonly source: ManifestSource;
  readonly checked: SoundManifest;
  readonly plan: BatchPlan;
  readonly person: Person;
  /** Called before a new batch is priced; rejects if its result could not be delivered. */
  readonly ready?: (() => Promise<void>) | undefined;
  /** Webhooks to receive in this process. Nothing is recorded or changed if it cannot listen for them. */
  readonly webhook?: WebhookSettings | undefined;
  /** Why, for the record. */
  readonly reason?: string | undefined;
  /** Called with each event. Default: no-op. */
  readonly onEvent?: ((event: RecordEvent) => void) | undefined;
}

/**
 * The result for a manifest. `known`: the batch already exists; `tuned` lists the changed settings, and `leftOut`
 * counts requested rows that stay left out because the batch is stopping.
 */
export type Recorded =
  | { readonly type: 'new'; readonly batch: BatchRecord }
  | { readonly type: 'known'; readonly batch: BatchRecord; readonly tuned: Tuning; readonly leftOut: number }
  | NotRecorded;

/** Why a valid manifest was not recorded: its voices, its name, or its bill. */
export type NotRecorded = Exclude<Billed, { readonly type: 'approved' }> | NotApproved<MoreFacts> | TakenName;

/**
 * Records a valid manifest as a batch, or finds its existing batch, and claims the out folder for it. Sends nothing
 * that costs. Throws {@link VoxbatchError} (a session's errors, `unwritable-out`, `taken-out`, `forgotten-batch`,
 * `forgotten-requests`, `forgotten-results`, `no-price`, `voices-unread`, `no-webhook-port`, those of
 * {@link requireOwnServer}).
 */
export async function recordBatch(request: RecordRequest): Promise<Recorded> {
  const { session, source, checked, plan, reason } = request;
  const by = byPerson(session.settings, reason);
  if (plan.out !== null) await requireWritableOut(plan.out, plan.name);
  const open = await session.api();
  await requireNamespace(session.settings);
  const ledger = await session.ledger();
  await requireStore(session.settings, ledger);
  const { name } = plan;
  const found = await wrapMachineFaults(() => ledger.findBatch(name));
  request.onEvent?.({ type: 'found', batch: found });
  const isThere = found !== undefined && found.state !== 'loading';
  const manifest = { source, options: checked.options, checked: checked.summary };
  // The manifest may be an edited one whose rows a redrive has given to the batch; then the batch's digest counts.
  const digest = isThere ? await digestFor(found, manifest, ledger) : (checked.summary.digest ?? '');
  const identity = { name, digest, ...realmOf(open) };
  if (!isThere && plan.out !== null) {
    await requireOwnOut(plan.out, identity, ledger);
    const { cache } = plan.settings;
    await refuseForgottenBatch({ name, out: plan.out, cache }, identity, ledger, session.settings);
  }
  if (!isThere) await requirePort(request.webhook, open, ledger);
  if (!isThere) await requireOwnServer(session.settings, ledger);
  if (!isThere) await request.ready?.();
  const billed = isThere
    ? ({ type: 'approved', checked } as const)
    : await priceAndApprove({ ...request, ...plan, open, ledger });
  if (billed.type !== 'approved') return billed;
  const { options, summary } = billed.checked;
  const loaded = await wrapMachineFaults(() =>
    findOrLoadBatch({ ...plan, ledger, source, options, identity, checked: summary, by }),
  );
  if (loaded.type === 'taken') return loaded;
  if (plan.out !== null) await claimOut(plan.out, loaded.batch, ledger);
  if (plan.out !== null && isThere) await refuseForgottenRequests(plan.out, loaded.batch, ledger);
  if (loaded.type === 'new') return { type: 'new', batch: loaded.batch };
  return continueBatch(loaded.batch, request, ledger, open, by);
}

/**
 * Applies the plan to an existing batch: changes its settings, and opens selected rows that earlier runs left out, once
 * they are approved.
 */
async function continueBatch(
  batch: BatchRecord,
  request: RecordRequest,
  ledger: Ledger,
  open: ConnectedApi,
  by: By,
): Promise<Recorded> {
  const { checked, plan } = request;
  const identify = identifyWithEvents(request.onEvent);
  const more = await wrapMachineFaults(() => findMore(ledger, batch, checked, plan.tuning, identify));
  if (more !== undefined || batch.state !== 'closed') {
    await requirePort(request.webhook, open, ledger);
    await requireOwnServer(request.session.settings, ledger);
  }
  const isStopping = batch.state === 'open' && batch.control === 'stopping';
  const refused = more === undefined || isStopping ? undefined : await approveMore(more, request, ledger, open);
  if (refused !== undefined) return refused;
  if (more !== undefined || (batch.state === 'open' && plan.tuning.cache !== undefined)) {
    const { refuseForgottenResults } = await import('../results/forgotten-results.ts');
    const { settings } = request.session;
    await refuseForgottenResults(settings, ledger, batch, plan.tuning, { opensLeftOut: more !== undefined });
  }
  return wrapMachineFaults(async () => {
    const tuned = changedTunables(plan.tuning, batch.settings);
    if (Object.keys(valuesOf(tuned)).length > 0) {
      await requirePrices(ledger, batch, plan.tuning);
      await ledger.tune(batch.name, plan.tuning, by);
    }
    const opened = more === undefined || isStopping ? 0 : await openMore(ledger, more, checked, by);
    const now = (await ledger.findBatch(batch.name)) ?? batch;
    return { type: 'known', batch: now, tuned, leftOut: (more?.rows ?? 0) - opened };
  });
}

/** Gets the bill of rows that earlier runs left out approved. Returns undefined if it may be paid. */
async function approveMore(
  more: MoreRows,
  { plan, person, onEvent }: RecordRequest,
  ledger: Ledger,
  open: ConnectedApi,
): Promise<NotApproved<MoreFacts> | undefined> {
  onEvent?.({ type: 'more', more });
  const { batch, rows, dependents, bill, isEstimate, budget } = more;
  const payer = payerOf(person, open, plan.confirmAbove);
  const budgetNeeded = budgetFor(await ledger.money(batch.name), bill.quoted);
  const ofBatch = { batch: batch.name, budgetNeeded, isBudgetLeft: true } as const;
  return approve<MoreFacts>(
    { rows: rows + dependents - bill.free, bill, isEstimate, budget, ...payer, ...ofBatch },
    person,
  );
}

/** Rows that earlier runs or the budget left out and that this run sends, and their price. */
export interface MoreRows extends NewlyChosen {
  readonly batch: BatchRecord;
  /** Credits left of the batch's budget, after the tuning; null if it has none. */
  readonly budget: number | null;
  /** Selects among the rows left out. */
  readonly choice: LeftOutSelection;
  /** Why all rows that are left are paid for. */
  readonly reasons: RowReasons;
  readonly cache: CacheMode;
}

/**
 * Finds and prices rows of a batch that earlier runs or the budget left out and that this run sends; undefined if there
 * are none. Changes nothing.
 *
 * @param tuning changes to the batch's settings that this run makes, too
 */
export async function findMore(
  ledger: Ledger,
  batch: BatchRecord,
  manifest: SoundManifest,
  tuning: Tuning,
  identify: IdentifyMedia = identifyMedia,
): Promise<MoreRows | undefined> {
  if (areRowsCleaned(batch)) return undefined;
  const budget = await budgetLeftFor(ledger, batch, tuning);
  const choice = await selectLeftOut(ledger, batch, manifest, budget);
  if (!choice.isAny || !(await hasLeftOutRows(ledger, batch, choice))) return undefined;
  const settings = { ...batch.settings, ...applyTuning(batch.settings, tuning) };
  const request = { ledger, account: batch, settings, identify, budget };
  const { more, reasons } = await billRemaining(ledger, { ...batch, settings }, choice, request);
  return { ...more, batch, budget, choice, reasons, cache: settings.cache };
}

/**
 * Opens the rows that {@link findMore} found, and with them the batch. Returns how many: fewer if the batch is
 * stopping.
 */
export async function openMore(
  ledger: Ledger,
  { batch, choice, bill: { quoted: credits } }: MoreRows,
  { options }: SoundManifest,
  by: By,
): Promise<number> {
  const { subset = null } = options;
  return openNewlyChosen(ledger, batch, subset, { ...choice, by: { ...by, credits } });
}
