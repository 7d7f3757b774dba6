import type { Account } from '../../contract/names.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import { type ManifestSummary, type SoundManifest, readPortions } from '../../inputs/read-manifest.ts';
import type { Tuning } from '../../contract/tunables.ts';
import { budgetFor } from '../../policy/money/budget.ts';
import { applyTuning } from '../../policy/tuning.ts';
import type { RowReasons } from '../../policy/plan/reason-groups.ts';
import { compareBatch, type ComparedBatch, type TakenName } from '../load-batch.ts';
import { type ReasonRequest, Reasoner } from './reasoner.ts';
import { billRowsLeft, type RowsLeft } from './rows-left.ts';
import { stepsIn } from '../../contract/row-kinds.ts';

/** A valid manifest and the batch it would become. */
export interface PlanRequest extends Pick<
  ComparedBatch,
  'settings' | 'givesReading' | 'givesTemplate' | 'isConfigured'
> {
  readonly source: ManifestSource;
  readonly checked: SoundManifest;
  /** Name of the batch. */
  readonly name: string;
  /** The tunables that were given; they apply to an existing batch too. */
  readonly tuning: Tuning;
  /** Undefined if there is none yet. */
  readonly ledger: Ledger | undefined;
  /** Undefined if unknown, in which case nothing can be compared with earlier rows. */
  readonly account: Account | undefined;
  readonly identify: ReasonRequest['identify'];
}

/** The parts of a manifest compared with an existing batch of its name. */
type NamedManifest = Pick<
  PlanRequest,
  'name' | 'checked' | 'account' | 'settings' | 'givesReading' | 'givesTemplate' | 'isConfigured'
>;

/** What a new batch would pay for and why. `summary` is billed net of existing results. */
export interface NewBatchPlan {
  readonly summary: ManifestSummary;
  readonly reasons: RowReasons;
  /** False if its rows could not be compared with earlier ones. */
  readonly isCompared: boolean;
}

/**
 * The effect of running a manifest. `new`: creates a batch. `known`: continues its recorded batch; `budget`: credits
 * left of the batch's budget, null if it has none; `enough`: the budget that would cover all of it based on charges so
 * far, null if a row's price is unknown. `taken`: another batch has the name, and the plan is for a batch of another
 * name.
 */
export type ManifestPlan =
  | ({ readonly type: 'new' } & NewBatchPlan)
  | {
      readonly type: 'known';
      readonly batch: BatchRecord;
      readonly left: RowsLeft;
      readonly budget: number | null;
      readonly enough: number | null;
    }
  | ({ readonly type: 'taken'; readonly name: TakenName } & NewBatchPlan);

/** Works out what a run of a valid manifest would pay for. Changes nothing, spends nothing. */
export async function planManifest(request: PlanRequest): Promise<ManifestPlan> {
  const { ledger, name } = request;
  const found = await ledger?.findBatch(name);
  if (ledger === undefined || found === undefined || found.state === 'loading')
    return { type: 'new', ...(await planNew(request)) };
  const compared = compare(found, request);
  if (compared.type === 'taken') return { type: 'taken', name: compared, ...(await planNew(request)) };
  return planKnown(found, ledger, request);
}

/** Whether another batch has the name: then the plan is for a new one, whose long texts are checked and cut. */
export async function isTaken(request: NamedManifest & Pick<PlanRequest, 'ledger'>): Promise<boolean> {
  const found = await request.ledger?.findBatch(request.name);
  return found !== undefined && found.state !== 'loading' && compare(found, request).type === 'taken';
}

/** Whether exactly this manifest is already a batch of this name, whose rows have their voices' ids. */
export async function isOnRecord(
  ledger: Ledger | undefined,
  name: string,
  { summary }: SoundManifest,
): Promise<boolean> {
  const found = await ledger?.findBatch(name);
  return found !== undefined && found.state !== 'loading' && found.digest === summary.digest;
}

/** Bills a new batch. */
export async function planNew(
  request: Pick<PlanRequest, 'source' | 'checked' | 'settings' | 'ledger' | 'account' | 'identify'>,
): Promise<NewBatchPlan> {
  const { source, checked, settings, account } = request;
  const { budget } = settings;
  const reasoned = await reasonManifest(source, checked, { ...lookUpsOf(request), settings, budget });
  return { ...reasoned, isCompared: account !== undefined };
}

async function planKnown(batch: BatchRecord, ledger: Ledger, request: PlanRequest): Promise<ManifestPlan> {
  const { checked, tuning } = request;
  const settings = applyTuning(batch.settings, tuning);
  const { budgetLeftFor } = await import('../redrive/redrive.ts');
  const budget = await budgetLeftFor(ledger, batch, tuning);
  const known = { ...batch, settings: { ...batch.settings, ...settings } };
  const { isChosen } = checked.summary;
  const reasons = { ...lookUpsOf(request), settings: known.settings, budget };
  const room = { isChosen, left: budget, outlook: await ledger.chargeOutlook(batch.name) };
  const left = await billRowsLeft(ledger, known, room, reasons);
  const enough = left.needed === null ? null : budgetFor(await ledger.money(batch.name), left.needed);
  return { type: 'known', batch: known, left, budget, enough };
}

const NOBODY: Account = { apiUrl: '', account: '' };

function lookUpsOf({
  ledger,
  account,
  identify,
}: Pick<PlanRequest, 'ledger' | 'account' | 'identify'>): Pick<ReasonRequest, 'ledger' | 'account' | 'identify'> {
  return account === undefined ? { ledger: undefined, account: NOBODY, identify } : { ledger, account, identify };
}

/** An unknown account is assumed to be the batch's. */
function compare(found: BatchRecord, request: NamedManifest): ReturnType<typeof compareBatch> {
  const { name, checked, account } = request;
  const { apiUrl, account: user } = account ?? found;
  const { summary, options } = checked;
  const identity = { name, digest: summary.digest ?? '', apiUrl, account: user };
  return compareBatch(found, { ...request, identity, options, checked: summary });
}

/** A manifest billed net of existing results, and why its rows are paid for. */
export interface ReasonedManifest {
  readonly summary: ManifestSummary;
  readonly reasons: RowReasons;
}

/**
 * Compares a valid manifest's chosen rows with the ledger: which results already exist, and how a row differs from the
 * last one with its id. Reads the manifest once more. Changes nothing, spends nothing.
 *
 * @throws ManifestError if the file changed since it was checked.
 */
async function reasonManifest(
  source: ManifestSource,
  { summary, options }: SoundManifest,
  request: ReasonRequest,
): Promise<ReasonedManifest> {
  const reasoner = new Reasoner(request);
  for await (const rows of readPortions(source, options, summary)) {
    for (const row of rows) {
      const lookUp = summary.isChosen(row) ? reasoner.add({ ...row, steps: stepsIn(row.spec) }) : undefined;
      if (lookUp !== undefined) await lookUp;
    }
  }
  await reasoner.finish();
  return { summary: { ...summary, ...reasoner.bill.summary() }, reasons: reasoner.groups.result() };
}
