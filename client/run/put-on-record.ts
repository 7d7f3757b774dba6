import type { SoundManifest } from '../../inputs/read-manifest.ts';
import { findOrLoadBatch, type TakenName } from '../../batches/load-batch.ts';
import type { BatchSettings } from '../../contract/batch.ts';
import { valuesOf, type Tuning } from '../../contract/tunables.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { newIn } from '../../policy/tuning.ts';
import { beforeWork } from '../before-work.ts';
import { knowVoices, type KnownVoices } from '../voices/know-voices.ts';
import type { OpenApi } from '../open-api.ts';
import { findMore, openMore, type MoreRows } from './open-chosen.ts';
import { requireStore } from '../claim-store.ts';
import { claimOut, requireOwnOut, requireWritableOut } from './out-folder.ts';
import type { Session } from '../session.ts';
import { requirePort } from '../webhooks/require-port.ts';
import type { WebhookWish } from '../webhooks/webhook-options.ts';
import { requirePrices } from '../steer/tune-batch.ts';

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
}

/** A sound manifest that is to become a batch. */
export interface RecordRequest {
  readonly session: Session;
  readonly source: ManifestSource;
  readonly checked: SoundManifest;
  readonly plan: BatchPlan;
  /** Called with the existing batch, before anything is asked or changed. */
  readonly onFound?: (batch: BatchRecord | undefined) => void;
  /**
   * Prices a new batch and says whether it may be paid for. Undefined: it may not. `voices`: the manifest with its voices
   * known; read meanwhile.
   */
  readonly approve: (open: OpenApi, voices: Promise<KnownVoices>) => Promise<SoundManifest | undefined>;
  /** Webhooks that are to reach this process: nothing is recorded or changed if it cannot listen for them. */
  readonly webhook?: WebhookWish | undefined;
  /** Says whether rows may be paid for that earlier runs of a batch left out. */
  readonly approveMore: (more: MoreRows, open: OpenApi) => Promise<boolean>;
}

/**
 * What became of the manifest. `known`: the batch exists already; `tuned` lists what was changed, and `leftOut` counts
 * rows that were asked for and stay left out, because the batch is being stopped.
 */
export type Recorded =
  | { readonly type: 'new'; readonly batch: BatchRecord }
  | { readonly type: 'known'; readonly batch: BatchRecord; readonly tuned: Tuning; readonly leftOut: number }
  | { readonly type: 'declined' }
  | TakenName;

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
  const identity = { name, digest, apiUrl: open.api.baseUrl, account: open.profile.userId };
  const found = await beforeWork(() => ledger.findBatch(name));
  request.onFound?.(found);
  const isThere = found !== undefined && found.state !== 'loading';
  if (!isThere && plan.out !== null) await requireOwnOut(plan.out, identity, ledger);
  if (!isThere) await requirePort(request.webhook, open, ledger);
  const priced = isThere ? checked : await request.approve(open, knowVoices(open.api, checked, ledger));
  if (priced === undefined) return { type: 'declined' };
  const { options, summary } = priced;
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
async function goOnWith(
  batch: BatchRecord,
  { checked, plan, approveMore, webhook }: RecordRequest,
  ledger: Ledger,
  open: OpenApi,
): Promise<Recorded> {
  const more = await beforeWork(() => findMore(ledger, batch, checked, plan.tuning));
  if (more !== undefined || batch.state !== 'closed') await requirePort(webhook, open, ledger);
  const isStopping = batch.state === 'open' && batch.control === 'stopping';
  if (more !== undefined && !isStopping && !(await approveMore(more, open))) return { type: 'declined' };
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
