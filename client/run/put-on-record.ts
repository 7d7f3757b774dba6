import type { SoundManifest } from '../../inputs/read-manifest.ts';
import { findOrLoadBatch, type TakenName } from '../../batches/load-batch.ts';
import type { BatchSettings } from '../../contract/batch.ts';
import { valuesOf, type Tuning } from '../../contract/tunables.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { budgetFor } from '../../policy/money/budget.ts';
import type { SpendFacts } from '../../contract/spend.ts';
import { newIn } from '../../policy/tuning.ts';
import { beforeWork } from '../problem.ts';
import { realmOf, type OpenApi } from '../open-api.ts';
import { payerOf, type Person, approve, type NotApproved } from '../person.ts';
import { requireStore } from '../claim-store.ts';
import { priceAndApprove, type BillEvent, type Billed } from './price.ts';
import { claimOut, requireOwnOut, requireWritableOut } from '../look/write-files.ts';
import type { Session } from '../session.ts';
import { requirePort } from '../webhooks/hint-listener.ts';
import type { WebhookWish } from '../webhooks/webhook-options.ts';
import { requirePrices } from '../steer/steer-batch.ts';
import { isDeepStrictEqual } from 'node:util';
import { billNewlyChosen, openNewlyChosen, type NewlyChosen } from '../../batches/subset/newly-chosen.ts';
import { areRowsCleaned } from '../../batches/clean/clean-batch.ts';
import { budgetLeftFor } from '../../batches/redrive/redrive.ts';
import type { SkippedRoom } from '../../batches/plan/skipped-rows.ts';
import type { IsChosen } from '../../policy/subset/subset.ts';

/** The plan of a new batch, or of an existing one to continue. */
export interface BatchPlan {
  readonly name: string;
  /** Folder of its files, absolute; null: it has none. */
  readonly out: string | null;
  readonly settings: BatchSettings;
  /** True if an option was given that changes what the rows mean; otherwise the batch keeps its own. */
  readonly givesReading: boolean;
  /** True if a template of file names was given; otherwise the batch keeps its own. */
  readonly givesTemplate: boolean;
  /** The tunables that were given; they apply to an existing batch too. */
  readonly tuning: Tuning;
  /** A bill above this is confirmed first, in credits; null: none is. */
  readonly confirmAbove: number | null;
  /** Read the length of media that state none, for the price of a new batch. */
  readonly probe: boolean;
}

/** The price of rows that an existing batch left out. The budget is what is left of the batch's. */
export interface MoreFacts extends SpendFacts {
  readonly bill: MoreRows['bill'];
  readonly isBudgetLeft: true;
  readonly batch: string;
  /** The budget of the batch that all of it needs. */
  readonly budgetNeeded: number;
}

/** What is told while a manifest becomes a batch. */
export type RecordEvent =
  | BillEvent
  /** The batch of this name; told before anything is asked or changed. */
  | { readonly type: 'found'; readonly batch: BatchRecord | undefined }
  /** Rows that earlier runs left out, before anybody is asked about them. */
  | { readonly type: 'more'; readonly more: MoreRows };

/** A sound manifest that is to become a batch. */
export interface RecordRequest {
  readonly session: Session;
  readonly source: ManifestSource;
  readonly checked: SoundManifest;
  readonly plan: BatchPlan;
  readonly person: Person;
  /** Called before a new batch is priced; rejects if its result could not be handed out. */
  readonly ready?: (() => Promise<void>) | undefined;
  /** Webhooks that are to reach this process: nothing is recorded or changed if it cannot listen for them. */
  readonly webhook?: WebhookWish | undefined;
  /** Default: nobody is told. */
  readonly tell?: ((event: RecordEvent) => void) | undefined;
}

/**
 * What became of the manifest. `known`: the batch exists already; `tuned` lists what was changed, and `leftOut` counts
 * rows that were asked for and stay left out, because the batch is being stopped.
 */
export type Recorded =
  | { readonly type: 'new'; readonly batch: BatchRecord }
  | { readonly type: 'known'; readonly batch: BatchRecord; readonly tuned: Tuning; readonly leftOut: number }
  | NotRecorded;

/** Why a sound manifest is not on record: its voices, its name, or its bill. */
export type NotRecorded = Exclude<Billed, { readonly type: 'approved' }> | NotApproved<MoreFacts> | TakenName;

/**
 * Records a sound manifest as a batch, or finds the batch that it already is, and claims the out folder for it. Sends
 * nothing that costs. Throws {@link VoxbatchError} (all that a session throws, `unwritable-out`, `taken-out`,
 * `no-price`, `voices-unread`, `no-webhook-port`).
 */
export async function putOnRecord(request: RecordRequest): Promise<Recorded> {
  const { session, source, checked, plan } = request;
  if (plan.out !== null) await requireWritableOut(plan.out, plan.name);
  const open = await session.api();
  const ledger = await session.ledger();
  await requireStore(session.settings, ledger);
  const { name } = plan;
  const digest = checked.summary.digest ?? '';
  const identity = { name, digest, ...realmOf(open) };
  const found = await beforeWork(() => ledger.findBatch(name));
  request.tell?.({ type: 'found', batch: found });
  const isThere = found !== undefined && found.state !== 'loading';
  if (!isThere && plan.out !== null) await requireOwnOut(plan.out, identity, ledger);
  if (!isThere) await requirePort(request.webhook, open, ledger);
  if (!isThere) await request.ready?.();
  const billed = isThere
    ? ({ type: 'approved', checked } as const)
    : await priceAndApprove({ ...request, ...plan, open, ledger });
  if (billed.type !== 'approved') return billed;
  const { options, summary } = billed.checked;
  const loaded = await beforeWork(() =>
    findOrLoadBatch({ ...plan, ledger, source, options, identity, checked: summary }),
  );
  if (loaded.type === 'taken') return loaded;
  if (plan.out !== null) await claimOut(plan.out, loaded.batch, ledger);
  if (loaded.type === 'new') return { type: 'new', batch: loaded.batch };
  return goOnWith(loaded.batch, request, ledger, open);
}

/**
 * Changes an existing batch as the plan says, and opens the rows that the plan selects and earlier runs left out, once
 * they are approved.
 */
async function goOnWith(batch: BatchRecord, request: RecordRequest, ledger: Ledger, open: OpenApi): Promise<Recorded> {
  const { checked, plan } = request;
  const more = await beforeWork(() => findMore(ledger, batch, checked, plan.tuning));
  if (more !== undefined || batch.state !== 'closed') await requirePort(request.webhook, open, ledger);
  const isStopping = batch.state === 'open' && batch.control === 'stopping';
  const refused = more === undefined || isStopping ? undefined : await approveMore(more, request, ledger, open);
  if (refused !== undefined) return refused;
  return beforeWork(async () => {
    const tuned = newIn(plan.tuning, batch.settings);
    if (Object.keys(valuesOf(tuned)).length > 0) {
      await requirePrices(ledger, batch, plan.tuning);
      await ledger.tune(batch.name, plan.tuning);
    }
    const opened = more === undefined || isStopping ? 0 : await openMore(ledger, more, checked);
    const now = (await ledger.findBatch(batch.name)) ?? batch;
    return { type: 'known', batch: now, tuned, leftOut: (more?.rows ?? 0) - opened };
  });
}

async function approveMore(
  more: MoreRows,
  { plan, person, tell }: RecordRequest,
  ledger: Ledger,
  open: OpenApi,
): Promise<NotApproved<MoreFacts> | undefined> {
  tell?.({ type: 'more', more });
  const { batch, rows, dependents, bill, isEstimate, budget } = more;
  const payer = payerOf(person, open, plan.confirmAbove);
  const budgetNeeded = budgetFor(await ledger.money(batch.name), bill.quoted);
  const ofBatch = { batch: batch.name, budgetNeeded, isBudgetLeft: true } as const;
  return approve<MoreFacts>({ rows: rows + dependents, bill, isEstimate, budget, ...payer, ...ofBatch }, person);
}

/** Rows that earlier runs of a batch, or its budget, left out and this one sends, and their price. */
export interface MoreRows extends NewlyChosen {
  readonly batch: BatchRecord;
  /** Credits left of the batch's budget, after the tuning; null if it has none. */
  readonly budget: number | null;
  /** Which of the rows that an earlier subset left out. */
  readonly isChosen: IsChosen;
  /** Which of the rows that the budget left out; undefined: there are none. */
  readonly skipped: SkippedRoom | undefined;
}

/**
 * Finds and prices such rows. Changes nothing. `tuning`: changes of the batch that come with them. Undefined: there are
 * none.
 */
export async function findMore(
  ledger: Ledger,
  batch: BatchRecord,
  { summary, options }: SoundManifest,
  tuning: Tuning,
): Promise<MoreRows | undefined> {
  const { total, notChosen, outcomes } = await ledger.counts(batch.name);
  const { subset = null } = options;
  // The same subset again is complete. An earlier version may have drawn other rows for it than this one would.
  const isComplete = total - notChosen === subset?.rows && isDeepStrictEqual(batch.subset, subset);
  const isSkipped = outcomes.skipped > notChosen;
  if ((!isSkipped && (notChosen === 0 || isComplete)) || areRowsCleaned(batch)) return undefined;
  const budget = await budgetLeftFor(ledger, batch, tuning);
  const isChosen: IsChosen = isComplete ? () => false : summary.isChosen;
  const outlook = await ledger.chargeOutlook(batch.name);
  const skipped = isSkipped
    ? { isChosen: isComplete ? () => true : summary.isChosen, left: budget, outlook }
    : undefined;
  const more = await billNewlyChosen(ledger, batch, isChosen, budget, skipped);
  return more.rows === 0 ? undefined : { ...more, batch, budget, isChosen, skipped };
}

/**
 * Opens such rows, and with them the batch. Returns how many it opened: fewer, or none, if the batch is being stopped.
 */
export async function openMore(
  ledger: Ledger,
  { batch, isChosen, skipped }: MoreRows,
  { options }: SoundManifest,
): Promise<number> {
  const { subset = null } = options;
  return openNewlyChosen(ledger, batch, subset, isChosen, skipped);
}
