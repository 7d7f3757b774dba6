import { dirname, resolve } from 'node:path';
import type { RedriveDraft } from '../../batches/redrive/draft.ts';
import { draftRedrive, budgetLeftFor } from '../../batches/redrive/redrive.ts';
import type { RedriveForecast } from '../../batches/redrive/redrive-tally.ts';
import { withLostFiles } from '../../batches/redrive/lost-files.ts';
import { findEditedRows } from '../../batches/redrive/edited-rows.ts';
import { rulesOf, selectedRows, type FoundRows } from '../../batches/redrive/selection.ts';
import type { RedriveTerms, RedriveRequest, OnRedriveEvent, NotRedrivable, RedriveFacts } from './redrive-options.ts';
import type { Session } from '../session.ts';
import { refuseLoading } from '../problem.ts';
import type { Payer } from '../person.ts';
import { warningsOf } from '../local-media/short-links.ts';
import { forgottenRows } from '../results/forgotten-results.ts';
import { localMediaRules } from '../local-media/local-media-rules.ts';
import { refuseCleaned } from '../clean/clean.ts';
import { beginStore, searchedStore } from '../claim-store.ts';
import { checkRedrive } from '../check-options.ts';
import { budgetFor } from '../../policy/money/budget.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openManifest } from '../../inputs/manifest-source.ts';
import type { Tuning } from '../../contract/tunables.ts';

/** The selected rows and their plan. */
export interface RedrivePlan {
  readonly draft: RedriveDraft;
  /** The same rows, for a second pass. */
  readonly rows: FoundRows;
  /** SHA-256 of the file that the rows were read from; null without a file. */
  readonly fileSha256: string | null;
}

/**
 * Selects and prices the rows of a redrive, and runs `work` with that plan while their file is open.
 *
 * @param options.isPreview changes nothing, so lost texts are not stored again
 */
export async function withPlan<T>(
  session: Session,
  batch: BatchRecord,
  request: RedriveRequest,
  { onEvent, isPreview }: { readonly onEvent: OnRedriveEvent; readonly isPreview: boolean },
  work: (plan: RedrivePlan) => Promise<T>,
): Promise<T | NotRedrivable> {
  const ledger = await session.ledger();
  const { from, newStore = false, asksForOverdue = false, tuning } = request;
  checkRedrive({ ...request, from: typeof from === 'object' ? from.label : from });
  refuseLoading(batch);
  // Only a person can tell a lost disk from an unmounted one. With only cleaned batches, nothing can be redriven
  // anyway.
  if (newStore) await beginStore(session.settings, ledger);
  refuseCleaned(batch);
  // A file has all rows: those that may have been charged are left out, where naming them would refuse the redrive.
  const stored = await forgottenRows(session.settings, ledger, batch);
  const rules = { ...rulesOf(request), asksForOverdue, leavesDoubtful: from !== undefined, stored };
  const workOn = async (rows: FoundRows, fileSha256: string | null): Promise<T> =>
    work({ draft: await draftRedrive(ledger, batch, rows, rules, tuning), rows, fileSha256 });
  if (from === undefined) {
    const selected = await selectedRows(ledger, batch, request);
    if (selected.type !== 'found') return selected;
    const store = searchedStore(session.settings, ledger, batch, {
      ...(!isPreview && { open: session.store }),
      onRewritten: (key) => {
        onEvent({ type: 'rewritten', key });
      },
    });
    return workOn(withLostFiles(selected.rows, { ledger, batch: batch.name, store }, rules), null);
  }
  const source = typeof from === 'string' ? await openManifest(from, { sheet: request.sheet }) : from;
  try {
    const localMedia = localMediaRules(session.settings, batch.apiUrl);
    // An outcome file lies elsewhere than the manifest whose cells it repeats.
    const filesFrom = [dirname(resolve(batch.source)), process.cwd()];
    const edited = await findEditedRows(source, { ledger, batch, localMedia, filesFrom });
    if (edited.type !== 'faulty') {
      const warnings = await warningsOf(edited.checked, session.settings, batch.settings);
      onEvent({ type: 'file-read', warnings });
    }
    return edited.type === 'found' ? await workOn(edited.rows, edited.checked.digest) : edited;
  } finally {
    if (typeof from === 'string') await source.close();
  }
}

/** Whether a result would be replaced, or a row may be charged twice. */
export function isDoubtful({ replaced, resubmitted }: RedriveDraft): boolean {
  return replaced + resubmitted > 0;
}

/** The bill above which confirmation is needed, in credits: as requested, otherwise as configured; null means never. */
export function confirmAboveOf(
  { settings }: Session,
  { confirmAbove }: Pick<RedriveTerms, 'confirmAbove'>,
): number | null {
  return confirmAbove === undefined ? (settings.config.confirmAbove ?? null) : confirmAbove;
}

/** The facts that decide whether a draft's rows may be paid for; see `policy/money/spend.ts`. */
export async function redriveFacts(
  ledger: Ledger,
  batch: BatchRecord,
  { paying: rows, isEstimate, bill, replaced, lost, resubmitted }: RedriveForecast,
  tuning: Tuning | undefined,
  payer: Payer,
): Promise<RedriveFacts> {
  const budget = await budgetLeftFor(ledger, batch, tuning);
  const budgetNeeded = budgetFor(await ledger.money(batch.name), bill.quoted);
  return { rows, bill, isEstimate, replaced, lost, resubmitted, ...payer, budget, budgetNeeded, isBudgetLeft: true };
}
