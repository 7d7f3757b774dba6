import type { SoundManifest } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { compareBatch, ComparedBatch, TakenName } from '../taken-name.ts';
import type { KnownBatchPlan, KnownPlanRequest } from './plan-known.ts';
import { planNew, type NewBatchPlan } from './plan-new.ts';

/** A valid manifest and the batch it would become. */
export interface PlanRequest
  extends KnownPlanRequest, Pick<ComparedBatch, 'givesReading' | 'givesTemplate' | 'isConfigured'> {
  /** Name of the batch. */
  readonly name: string;
}

/** The parts of a manifest compared with an existing batch of its name. */
type NamedManifest = Omit<PlanRequest, 'ledger' | 'identify' | 'tuning'>;

/**
 * The effect of running a manifest. `new`: creates a batch. `known`: continues its recorded batch. `taken`: another
 * batch has the name, and the plan is for a batch of another name.
 */
export type ManifestPlan =
  | ({ readonly type: 'new' } & NewBatchPlan)
  | ({ readonly type: 'known' } & KnownBatchPlan)
  | ({ readonly type: 'taken'; readonly name: TakenName } & NewBatchPlan);

/** Returns what a run of a valid manifest would pay for. Changes nothing, spends nothing. */
export async function planManifest(request: PlanRequest): Promise<ManifestPlan> {
  const { ledger, name } = request;
  const found = await ledger?.findBatch(name);
  if (ledger === undefined || found === undefined || found.state === 'loading')
    return { type: 'new', ...(await planNew(request)) };
  const compared = await compare(found, ledger, request);
  if (compared.type === 'taken') return { type: 'taken', name: compared, ...(await planNew(request)) };
  // Imported here, because most plans are for new batches and do without it.
  const { planKnown } = await import('./plan-known.ts');
  return { type: 'known', ...(await planKnown(found, ledger, request)) };
}

/** Returns whether another batch has the name; if so, the plan is for a new batch, whose long texts are checked. */
export async function isNameTaken(request: NamedManifest & Pick<PlanRequest, 'ledger'>): Promise<boolean> {
  const { ledger, name } = request;
  const found = await ledger?.findBatch(name);
  if (ledger === undefined || found === undefined || found.state === 'loading') return false;
  return (await compare(found, ledger, request)).type === 'taken';
}

/** Returns whether this very manifest is a batch of this name already; its rows then have their voices' ids. */
export async function isOnRecord(
  ledger: Ledger | undefined,
  name: string,
  { summary }: SoundManifest,
): Promise<boolean> {
  const found = await ledger?.findBatch(name);
  return found !== undefined && found.state !== 'loading' && found.digest === summary.digest;
}

/** Compares a manifest with the batch of its name. An unknown account is assumed to be the batch's. */
async function compare(
  found: BatchRecord,
  ledger: Ledger,
  request: NamedManifest,
): Promise<ReturnType<typeof compareBatch>> {
  const { name, source, checked, account } = request;
  const { apiUrl, account: user } = account ?? found;
  const { summary, options } = checked;
  const names = await import('../taken-name.ts');
  const digest = await names.digestFor(found, { source, options, checked: summary }, ledger);
  const identity = { name, digest, apiUrl, account: user };
  return names.compareBatch(found, { ...request, identity, options, checked: summary });
}
