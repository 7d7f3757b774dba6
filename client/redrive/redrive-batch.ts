import type { FoundRows } from '../../batches/redrive/selection.ts';
import type { RedriveDraft, RedriveRefusal } from '../../batches/redrive/draft.ts';
import { budgetLeftFor, openRows, type OpenedRows } from '../../batches/redrive/redrive.ts';
import type { Tuning } from '../../contract/tunables.ts';
import type { BillSummary } from '../../inputs/money/bill.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { budgetFor } from '../../policy/money/budget.ts';
import type { SpendFacts } from '../../contract/spend.ts';
import { allowReplacing } from '../../results/redrive/edited-tables.ts';
import { requireSameRealm, type OpenApi } from '../open-api.ts';
import type { Payer } from '../person.ts';
import { claimOut, requireOwnOut } from '../look/write-files.ts';
import type { Session } from '../session.ts';
import { requirePort } from '../webhooks/hint-listener.ts';
import type { WebhookWish } from '../webhooks/webhook-options.ts';

/** A redrive whose effect is known. */
export interface RedriveRequest {
  readonly ledger: Ledger;
  readonly batch: BatchRecord;
  /** Changes of the batch's tunables that come with it. */
  readonly tuning?: Tuning;
  readonly draft: RedriveDraft;
  /** The rows of the draft, to be read once more. */
  readonly rows: FoundRows;
  /** sha256 of the file that the rows come from, as it was read; null: there is no file. */
  readonly fileSha256: string | null;
  /** Folder of the batch's files, absolute; null: it has none. */
  readonly out: string | null;
  /** Opens the API; called only if somebody has to work on the batch. */
  readonly openApi: () => Promise<OpenApi>;
  /** Webhooks that are to reach this process: nothing is changed if it cannot listen for them. */
  readonly webhook?: WebhookWish | undefined;
  /** Says whether it may be done at its price. */
  readonly approve: (open: OpenApi) => Promise<boolean>;
}

/**
 * Result of a redrive. `finished`: nobody has to work on the batch. `open`: somebody has to. In both, `opened` and
 * `movedOn` are those of {@link OpenedRows}. In the other cases nothing was changed, except as `not-opened` says.
 */
export type Redriven =
  | { readonly type: 'finished'; readonly opened: number; readonly movedOn: number }
  | { readonly type: 'open'; readonly opened: number; readonly movedOn: number; readonly open: OpenApi }
  /** The draft may not be carried out. */
  | { readonly type: RedriveRefusal }
  | { readonly type: 'declined' }
  /** The ledger refused, in its own words; `opened` rows had been opened before that. */
  | { readonly type: 'not-opened'; readonly opened: number; readonly why: string };

/**
 * Opens the rows of a draft in the ledger, once they are approved, and claims the out folder for the batch. Sends
 * nothing. Throws {@link VoxbatchError} (all that opening the API throws, `other-realm`, `unwritable-out`,
 * `taken-out`, `no-webhook-port`).
 */
export async function redriveBatch(request: RedriveRequest): Promise<Redriven> {
  const { ledger, batch, draft, tuning = {}, out } = request;
  if (draft.refusal !== undefined) return { type: draft.refusal };
  const isNothing = draft.count === 0;
  // Another command may have opened it since: then its rows are no longer to be chosen, and somebody has to work on them.
  const isClosed = ((await ledger.findBatch(batch.name)) ?? batch).state === 'closed';
  if (isNothing && isClosed) {
    if (out !== null) await requireOwnOut(out, batch, ledger);
    await allowTaken(request, 0);
    return { type: 'finished', opened: 0, movedOn: 0 };
  }
  if (out !== null) await claimOut(out, batch, ledger);
  if (draft.isSettling && isClosed) {
    const opened = await openAll(request);
    return opened.type === 'refused' ? { ...opened, type: 'not-opened' } : { ...opened, type: 'finished' };
  }
  const open = await request.openApi();
  requireSameRealm(batch, open);
  if (isNothing) {
    // The same redrive may have opened the rows already before it was killed: it continues with them.
    await allowTaken(request, 0);
    return { type: 'open', opened: 0, movedOn: 0, open };
  }
  await requirePort(request.webhook, open, ledger);
  if (!(await request.approve(open))) return { type: 'declined' };
  if (Object.keys(tuning).length > 0) await ledger.tune(batch.name, tuning);
  const opened = await openAll(request);
  return opened.type === 'refused' ? { ...opened, type: 'not-opened' } : { ...opened, type: 'open', open };
}

/** Opens the API for a redrive, and claims the store before rows are opened: in a wrong one nobody can work on them. */
export async function openForRedrive(session: Session): Promise<OpenApi> {
  const open = await session.api();
  await session.store();
  return open;
}

/** The price of a redrive, and its other risks. */
export interface RedriveFacts extends SpendFacts {
  readonly bill: BillSummary;
  /** Existing results that will be replaced, and those whose stored file is lost and cannot be had free. */
  readonly replaced: number;
  /** Those of them whose stored file is lost. */
  readonly lost: number;
  /** Rows that may be charged a second time for one result. */
  readonly resubmitted: number;
  /** The budget is what is left of the batch's. */
  readonly isBudgetLeft: true;
  /** The budget of the batch that all of it needs. */
  readonly budgetNeeded: number;
}

/** What decides whether the rows of a draft may be paid for; see `policy/money/spend.ts`. */
export async function redriveFacts(
  { ledger, batch, tuning, draft }: Pick<RedriveRequest, 'ledger' | 'batch' | 'tuning' | 'draft'>,
  { yes, canAsk, balance, confirmAbove }: Payer,
): Promise<RedriveFacts> {
  const { paying: rows, isEstimate, bill, replaced, lost, resubmitted } = draft;
  const budget = await budgetLeftFor(ledger, batch, tuning);
  const budgetNeeded = budgetFor(await ledger.money(batch.name), bill.quoted);
  const ofBatch = { budget, budgetNeeded, isBudgetLeft: true } as const;
  return { rows, bill, isEstimate, replaced, lost, resubmitted, yes, canAsk, balance, confirmAbove, ...ofBatch };
}

async function openAll(request: RedriveRequest): Promise<OpenedRows> {
  const { ledger, batch, draft, rows } = request;
  const opened = await openRows(ledger, batch.name, draft, rows);
  if (opened.type === 'opened') await allowTaken(request, opened.movedOn);
  return opened;
}

/**
 * The files of the batch may replace a file whose edits are all in the ledger now. `movedOn`: rows that were not taken
 * from it.
 */
async function allowTaken({ draft, fileSha256, out }: RedriveRequest, movedOn: number): Promise<void> {
  if (out !== null && fileSha256 !== null && movedOn + draft.untaken + draft.leftEdited === 0)
    await allowReplacing(out, [fileSha256]);
}
