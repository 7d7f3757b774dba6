import type { BatchSettings } from '../../contract/batch.ts';
import type { Account } from '../../contract/names.ts';
import { stepsIn } from '../../contract/row-kinds.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import { type ManifestSummary, type SoundManifest, readPortions } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RowReasons } from '../../policy/plan/reason-groups.ts';
import { type RowBillerOptions, RowBiller } from './row-biller.ts';

/** A valid manifest to compare with the ledger. */
export interface NewPlanRequest {
  readonly source: ManifestSource;
  readonly checked: SoundManifest;
  readonly settings: BatchSettings;
  /** Undefined if there is no ledger yet. */
  readonly ledger: Ledger | undefined;
  /** Undefined if unknown; rows are then not compared with earlier ones. */
  readonly account: Account | undefined;
  readonly identify: RowBillerOptions['identify'];
}

/** What a new batch would pay for and why. */
export interface NewBatchPlan {
  /** The manifest's summary; its bill leaves out results that exist already. */
  readonly summary: ManifestSummary;
  readonly reasons: RowReasons;
  /** False if rows could not be compared with earlier ones, because the account is unknown. */
  readonly isCompared: boolean;
}

/**
 * Bills a new batch: looks up which results of a valid manifest's chosen rows already exist, and how each row
 * differs from the last one with its id. Reads the manifest once more. Changes nothing, spends nothing.
 *
 * @throws ManifestError if the file changed since it was checked.
 */
export async function planNew(request: NewPlanRequest): Promise<NewBatchPlan> {
  const { source, settings, account } = request;
  const { summary, options } = request.checked;
  const biller = new RowBiller({ ...lookUpsOf(request), settings, budget: settings.budget });
  for await (const rows of readPortions(source, options, summary)) {
    for (const row of rows) {
      // Only a full chunk has a look-up to await: an await for each row would be slow.
      const lookUp = summary.isChosen(row) ? biller.add({ ...row, steps: stepsIn(row.spec) }) : undefined;
      if (lookUp !== undefined) await lookUp;
    }
  }
  await biller.finish();
  return {
    summary: { ...summary, ...biller.bill.summary() },
    reasons: biller.groups.result(),
    isCompared: account !== undefined,
  };
}

const UNKNOWN_ACCOUNT: Account = { apiUrl: '', account: '' };

/** Returns what to compare rows with. No ledger if the account is unknown, because results belong to an account. */
export function lookUpsOf({
  ledger,
  account,
  identify,
}: Pick<NewPlanRequest, 'ledger' | 'account' | 'identify'>): Pick<RowBillerOptions, 'ledger' | 'account' | 'identify'> {
  if (account === undefined) return { ledger: undefined, account: UNKNOWN_ACCOUNT, identify };
  return { ledger, account, identify };
}
