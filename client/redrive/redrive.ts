import { resolve } from 'node:path';
import { defaultOut } from '../../batches/batch-name.ts';
import { findEditedRows, type EditedRows } from '../../batches/redrive/edited-rows.ts';
import {
  type FoundRows,
  type NoSuchRow,
  type RedriveSelection,
  rulesOf,
  selectedRows,
} from '../../batches/redrive/selection.ts';
import type { RedriveDraft } from '../../batches/redrive/draft.ts';
import type { RedriveForecast } from '../../batches/redrive/tally.ts';
import { withLostFiles } from '../../batches/redrive/lost-files.ts';
import { draftRedrive } from '../../batches/redrive/redrive.ts';
import type { Tuning } from '../../contract/tunables.ts';
import { openManifest } from '../../inputs/manifest-source.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { approve, type NotApproved } from '../run/approval.ts';
import { payerOf, personOf, type Confirm } from '../person.ts';
import { checkRedriveOptions } from '../check-wish.ts';
import type { OpenApi } from '../open-api.ts';
import {
  openForRedrive,
  redriveBatch,
  redriveFacts,
  type RedriveFacts,
  type RedriveRequest,
  type Redriven,
} from './redrive-batch.ts';
import { refuseCleaned } from '../clean/refuse-cleaned.ts';
import { refuseLoading } from '../refuse-loading.ts';
import { searchedStore } from './searched-store.ts';
import type { Session } from '../session.ts';

/**
 * Which ended rows to run again, and how: those of a file, or those that meet all other conditions. At least one must
 * be given.
 */
export interface RedriveOptions extends RedriveSelection {
  /** Path of an edited copy of the manifest, or of an outcome file. Edited rows run again. */
  readonly from?: string;
  /** Changes of the batch's limits, budget and policies that come with it. */
  readonly tuning?: Tuning;
  /** Folder of the batch's files. Default `out/NAME`. */
  readonly out?: string;
  /**
   * Called before a bill above `confirmAbove` of the configuration is paid, before a result is replaced, and before a
   * row is paid for that may have been charged. Default: such a bill is refused, and for the others the options are
   * enough.
   */
  readonly confirm?: Confirm<RedriveFacts>;
}

/**
 * Why a redrive is not possible: names that are no rows, or no takes of them, a file that does not fit the batch, edits of rows that have not
 * ended, rows that need an explicit option.
 */
export type NotRedrivable =
  | NoSuchRow
  | Exclude<EditedRows, { readonly type: 'found' }>
  /** `forecast.openEdited` rows would go on, and be paid for, as they were: stop the batch first. */
  | { readonly type: 'open-edits'; readonly forecast: RedriveForecast }
  /** `forecast.refused` says which rows, and why; `resubmit` may be what is missing. */
  | { readonly type: 'refused-rows'; readonly forecast: RedriveForecast };

/** What a redrive would do, and its price. Nothing was changed. */
export type RedriveCheck = { readonly type: 'ready'; readonly forecast: RedriveForecast } | NotRedrivable;

/** What became of rows whose price is known; see {@link Redriven}. */
export type PaidEnd =
  | (Exclude<Redriven, { readonly type: 'declined' }> & { readonly forecast: RedriveForecast })
  | NotApproved<RedriveFacts>;

/** Result of a redrive. */
export type RedriveEnd = PaidEnd | NotRedrivable;

/** Finds the rows and reports what a redrive would do with them. Reads only the ledger, the store and the file. */
export async function checkRedrive(
  session: Session,
  batch: BatchRecord,
  options: RedriveOptions,
): Promise<RedriveCheck> {
  return withWork<RedriveCheck>({ session, isDryRun: true }, batch, options, ({ draft }) => {
    return Promise.resolve({ type: draft.refusal ?? 'ready', forecast: draft });
  });
}

/** Opens the rows, once their bill is approved. Sends nothing. Throws {@link VoxbatchError} as {@link redriveBatch} does. */
export async function redrive(session: Session, batch: BatchRecord, options: RedriveOptions): Promise<RedriveEnd> {
  const ledger = await session.ledger();
  const { out = defaultOut(batch.name), tuning = {}, confirm } = options;
  return withWork<RedriveEnd>({ session, isDryRun: false }, batch, options, (work) =>
    redriveApproved({ session, confirm, request: { ...work, ledger, batch, tuning, out: resolve(out) } }),
  );
}

/** A redrive whose price is not approved yet. */
interface ApprovalRequest {
  readonly session: Session;
  readonly confirm: Confirm<RedriveFacts> | undefined;
  readonly request: Omit<RedriveRequest, 'openApi' | 'approve'>;
}

/** Opens the rows of a draft if `confirm` and the rules of spending allow it. */
export async function redriveApproved({ session, confirm, request }: ApprovalRequest): Promise<PaidEnd> {
  const { draft } = request;
  const found: { refusal?: NotApproved<RedriveFacts> | undefined } = {};
  const person = personOf(confirm);
  const approveIt = async (open: OpenApi): Promise<boolean> => {
    const payer = payerOf(person, open, session.settings.config.confirmAbove ?? null);
    const facts = await redriveFacts(request, payer);
    found.refusal = draft.paying === 0 ? undefined : await approve(facts, person, isDoubtful(draft));
    return found.refusal === undefined;
  };
  const ended = await redriveBatch({ ...request, openApi: () => openForRedrive(session), approve: approveIt });
  if (ended.type !== 'declined') return { ...ended, forecast: draft };
  if (found.refusal === undefined) throw new Error('What is declined has a reason.');
  return found.refusal;
}

/** A result would be replaced, or a row charged twice. */
function isDoubtful({ replaced, resubmitted }: RedriveDraft): boolean {
  return replaced + resubmitted > 0;
}

/** The selected rows, and what is done with them. */
type Work = Pick<RedriveRequest, 'draft' | 'rows' | 'fileSha256'>;

/** Runs `work` with the selected rows; a file that they come from is kept for as long as that takes. */
async function withWork<T>(
  { session, isDryRun }: { readonly session: Session; readonly isDryRun: boolean },
  batch: BatchRecord,
  options: RedriveOptions,
  work: (found: Work) => Promise<T>,
): Promise<T | NotRedrivable> {
  const ledger = await session.ledger();
  checkRedriveOptions(options);
  refuseLoading(batch);
  refuseCleaned(batch);
  const draftOf = (rows: FoundRows): Promise<RedriveDraft> =>
    draftRedrive(ledger, batch, rows, rulesOf(options), options.tuning);
  if (options.from === undefined) {
    const wished = await selectedRows(ledger, batch, options);
    if (wished.type !== 'found') return wished;
    const store = searchedStore(session.settings, ledger, batch, isDryRun ? undefined : session.store);
    const rows = withLostFiles(wished.rows, { ledger, batch: batch.name, store }, rulesOf(options));
    return work({ draft: await draftOf(rows), rows, fileSha256: null });
  }
  const source = await openManifest(options.from);
  try {
    const edited = await findEditedRows(source, { ledger, batch });
    if (edited.type !== 'found') return edited;
    return await work({ draft: await draftOf(edited.rows), rows: edited.rows, fileSha256: edited.checked.digest });
  } finally {
    await source.close();
  }
}
