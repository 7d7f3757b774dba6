import { resolve } from 'node:path';
import { defaultOut } from '../../contract/batch-name.ts';
import type { RedriveDraft, RedriveForecast, RedriveRefusal } from '../../batches/redrive/draft.ts';
import { findEditedRows, type EditedRows } from '../../batches/redrive/edited-rows.ts';
import { withLostFiles } from '../../batches/redrive/lost-files.ts';
import { draftRedrive, budgetLeftFor, openRows } from '../../batches/redrive/redrive.ts';
import {
  rulesOf,
  selectedRows,
  type FoundRows,
  type NoSuchRow,
  type RedriveSelection,
} from '../../batches/redrive/selection.ts';
import type { Tuning } from '../../contract/tunables.ts';
import { openManifest, type ManifestSource } from '../../inputs/manifest-source.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { decideSpend, type SpendDecision } from '../../policy/money/spend.ts';
import { checkRedrive } from '../check-options.ts';
import { beginStore, searchedStore } from '../claim-store.ts';
import { refuseCleaned } from '../clean/clean.ts';
import {
  payerOf,
  type Confirm,
  type Person,
  type SpendQuestion,
  approve,
  type NotApproved,
  type Payer,
} from '../person.ts';
import { refuseLoading } from '../problem.ts';
import type { Session } from '../session.ts';
import type { WebhookWish } from '../webhooks/webhook-options.ts';
import type { BillSummary } from '../../inputs/money/bill.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { budgetFor } from '../../policy/money/budget.ts';
import type { SpendFacts } from '../../contract/spend.ts';
import { allowReplacing } from '../../results/redrive/edited-tables.ts';
import { requireSameRealm, type OpenApi } from '../open-api.ts';
import { claimOut, requireOwnOut } from '../look/write-files.ts';
import { requirePort } from '../webhooks/hint-listener.ts';

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

/** How a redrive is paid for, and where its files are. */
export interface RedriveTerms extends Pick<RedriveOptions, 'tuning' | 'out'> {
  /** A bill above this is confirmed first, in credits; null: none is. Default: as the configuration says. */
  readonly confirmAbove?: number | null | undefined;
  /** Webhooks that are to reach this process: nothing is changed if it cannot listen for them. */
  readonly webhook?: WebhookWish | undefined;
}

/** A redrive that is asked for. */
export interface RedriveRequest extends RedriveSelection, RedriveTerms {
  /** The file, or its path; one that is open already is left open. */
  readonly from?: string | ManifestSource | undefined;
  /** Rows that ended `overdue` need `resubmit`, because it is not clear whether to pay for them or to wait. Default false. */
  readonly asksForOverdue?: boolean;
  /** Begin an empty store where there is none, because a person said that its files are lost. Default false. */
  readonly newStore?: boolean;
}

/** What is told while a redrive is worked out. */
export type RedriveEvent =
  /** The file can be read; there may be warnings. */
  | { readonly type: 'file-read'; readonly warnings: EditedRows['checked']['warnings'] }
  /** A lost text is known from what is on record, and is stored again, free. */
  | { readonly type: 'rewritten'; readonly key: string }
  /** Nothing speaks against it but its price. */
  | { readonly type: 'planned'; readonly forecast: RedriveForecast };

/** Called with each event. */
export type TellRedrive = (event: RedriveEvent) => void;

/** Whoever answers for the price of a redrive. */
export type RedrivePerson = Person<SpendQuestion<RedriveFacts>>;

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

/** The same with what would be asked and noted before it is done. `refusal`: why it would be refused. */
export type RedrivePreview =
  | NotRedrivable
  | {
      readonly type: 'ready';
      readonly forecast: RedriveForecast;
      readonly facts: RedriveFacts;
      readonly notes: SpendDecision['notes'];
      readonly asks: SpendQuestion['about'];
      readonly refusal?: Extract<SpendDecision, { readonly type: 'refuse' }>['why'];
    };

/** What became of rows whose price is known; see {@link Redriven}. */
export type PaidEnd =
  | (Redriven & { readonly forecast: RedriveForecast })
  /** Results would be replaced, and a person must agree to that who cannot be asked. */
  | { readonly type: 'unasked'; readonly forecast: RedriveForecast }
  | NotApproved<RedriveFacts>;

/** Result of a redrive. */
export type RedriveEnd = PaidEnd | NotRedrivable;

/**
 * Reports what a redrive would do, and whether it would ask. Reads only the ledger, the store and the file: the account's
 * balance is not asked for. Changes nothing.
 */
export async function previewRedrive(
  session: Session,
  batch: BatchRecord,
  request: RedriveRequest,
  { yes }: Person,
  tell: TellRedrive = () => undefined,
): Promise<RedrivePreview> {
  return withPlan<RedrivePreview>(session, batch, request, tell, true, async ({ draft }) => {
    if (draft.refusal !== undefined) return { type: draft.refusal, forecast: draft };
    const payer = { yes, canAsk: true, balance: null, confirmAbove: confirmAboveOf(session, request) };
    const facts = await redriveFacts({ ...request, ledger: await session.ledger(), batch, draft }, payer);
    const decision: SpendDecision = draft.paying > 0 ? decideSpend(facts) : { type: 'go', notes: [] };
    return {
      type: 'ready',
      forecast: draft,
      facts,
      notes: decision.notes,
      asks: [
        ...(decision.type === 'ask' ? (['bill'] as const) : []),
        ...(isDoubtful(draft) && !yes ? (['doubts'] as const) : []),
      ],
      ...(decision.type === 'refuse' && { refusal: decision.why }),
    };
  });
}

/**
 * Finds the rows and opens them, once their bill is approved. Sends nothing. Throws {@link VoxbatchError} (`bad-option`,
 * `loading`, `cleaned`, and as {@link redriveBatch} does).
 */
export async function redrive(
  session: Session,
  batch: BatchRecord,
  request: RedriveRequest,
  person: RedrivePerson,
  tell: TellRedrive = () => undefined,
): Promise<RedriveEnd> {
  return withPlan<RedriveEnd>(session, batch, request, tell, false, (plan) =>
    redrivePlanned(session, batch, plan, request, person, tell),
  );
}

/** The selected rows, and what is done with them. */
interface RedrivePlan {
  readonly draft: RedriveDraft;
  /** The same rows, to be read once more. */
  readonly rows: FoundRows;
  /** sha256 of the file that the rows come from, as it was read; null: there is no file. */
  readonly fileSha256: string | null;
}

/** Opens the rows of a plan if the person and the rules of spending allow it. */
export async function redrivePlanned(
  session: Session,
  batch: BatchRecord,
  plan: RedrivePlan,
  terms: RedriveTerms,
  person: RedrivePerson,
  tell: TellRedrive,
): Promise<PaidEnd> {
  const { draft } = plan;
  const { tuning = {}, webhook, out = defaultOut(batch.name) } = terms;
  if (draft.refusal === undefined) {
    tell({ type: 'planned', forecast: draft });
    if (draft.replaced > 0 && isUnasked(person)) return { type: 'unasked', forecast: draft };
  }
  const request = { ...plan, ledger: await session.ledger(), batch, tuning, webhook, out: resolve(out) };
  const ended = await redriveBatch<RedriveFacts>({
    ...request,
    openApi: async () => {
      const open = await session.api();
      // Before rows are opened: with a wrong store nobody can work on them.
      await session.store();
      return open;
    },
    approve: async (open) => {
      if (draft.paying === 0) return undefined;
      const facts = await redriveFacts(request, payerOf(person, open, confirmAboveOf(session, terms)));
      return approve(facts, person, isDoubtful(draft));
    },
  });
  return ended.type === 'refused' || ended.type === 'declined' ? ended : { ...ended, forecast: draft };
}

/** Whether a person must agree to what may be paid for twice, and cannot be asked. */
export function isUnasked({ mustAgree = false, yes, canAsk }: Omit<Person, 'confirm'>): boolean {
  return mustAgree && !yes && !canAsk;
}

/** A result would be replaced, or a row charged twice. */
function isDoubtful({ replaced, resubmitted }: RedriveDraft): boolean {
  return replaced + resubmitted > 0;
}

function confirmAboveOf({ settings }: Session, { confirmAbove }: Pick<RedriveTerms, 'confirmAbove'>): number | null {
  return confirmAbove === undefined ? (settings.config.confirmAbove ?? null) : confirmAbove;
}

/** Runs `work` with the selected rows; a file that they come from is kept for as long as that takes. `isPreview`: nothing may be stored. */
async function withPlan<T>(
  session: Session,
  batch: BatchRecord,
  request: RedriveRequest,
  tell: TellRedrive,
  isPreview: boolean,
  work: (plan: RedrivePlan) => Promise<T>,
): Promise<T | NotRedrivable> {
  const ledger = await session.ledger();
  const { from, newStore = false, asksForOverdue = false, tuning } = request;
  checkRedrive({ ...request, from: typeof from === 'object' ? from.label : from });
  refuseLoading(batch);
  // Only a person can tell a disk that is lost from one that is not mounted. Of cleaned batches alone, none can be redriven.
  if (newStore) await beginStore(session.settings, ledger);
  refuseCleaned(batch);
  const rules = { ...rulesOf(request), asksForOverdue };
  const workOn = async (rows: FoundRows, fileSha256: string | null): Promise<T> =>
    work({ draft: await draftRedrive(ledger, batch, rows, rules, tuning), rows, fileSha256 });
  if (from === undefined) {
    const selected = await selectedRows(ledger, batch, request);
    if (selected.type !== 'found') return selected;
    const store = searchedStore(session.settings, ledger, batch, {
      ...(!isPreview && { open: session.store }),
      onRewritten: (key) => {
        tell({ type: 'rewritten', key });
      },
    });
    return workOn(withLostFiles(selected.rows, { ledger, batch: batch.name, store }, rules), null);
  }
  const source = typeof from === 'string' ? await openManifest(from) : from;
  try {
    const edited = await findEditedRows(source, { ledger, batch });
    if (edited.type !== 'faulty') tell({ type: 'file-read', warnings: edited.checked.warnings });
    return edited.type === 'found' ? await workOn(edited.rows, edited.checked.digest) : edited;
  } finally {
    if (typeof from === 'string') await source.close();
  }
}

/** A redrive whose effect is known: its rows, and whoever says whether it may be done at its price. */
interface KnownRedrive<Facts extends SpendFacts> extends RedrivePlan {
  readonly ledger: Ledger;
  readonly batch: BatchRecord;
  /** Changes of the batch's tunables that come with it. */
  readonly tuning?: Tuning | undefined;
  /** Folder of the batch's files, absolute; null: it has none. */
  readonly out: string | null;
  /** Opens the API; called only if somebody has to work on the batch. */
  readonly openApi: () => Promise<OpenApi>;
  readonly webhook?: WebhookWish | undefined;
  /** Why it may not be paid for; undefined: it may. */
  readonly approve: (open: OpenApi) => Promise<NotApproved<Facts> | undefined>;
}

/**
 * Result of a redrive. `finished`: nobody has to work on the batch. `open`: somebody has to. In both, `opened` and
 * `movedOn` are those of `OpenedRows`. In the other cases nothing was changed, except as `not-opened` says.
 */
export type Redriven =
  | { readonly type: 'finished'; readonly opened: number; readonly movedOn: number }
  | { readonly type: 'open'; readonly opened: number; readonly movedOn: number; readonly open: OpenApi }
  /** The draft may not be carried out. */
  | { readonly type: RedriveRefusal }
  /** The ledger refused, in its own words; `opened` rows had been opened before that. */
  | { readonly type: 'not-opened'; readonly opened: number; readonly why: string };

/**
 * Opens the rows of a draft in the ledger, once they are approved, and claims the out folder for the batch. Sends
 * nothing. Throws {@link VoxbatchError} (all that opening the API throws, `other-realm`, `unwritable-out`,
 * `taken-out`, `no-webhook-port`).
 */
export async function redriveBatch<Facts extends SpendFacts>(
  request: KnownRedrive<Facts>,
): Promise<Redriven | NotApproved<Facts>> {
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
    return openAll(request, { type: 'finished' });
  }
  const open = await request.openApi();
  requireSameRealm(batch, open);
  if (isNothing) {
    // The same redrive may have opened the rows already before it was killed: it continues with them.
    await allowTaken(request, 0);
    return { type: 'open', opened: 0, movedOn: 0, open };
  }
  await requirePort(request.webhook, open, ledger);
  const refused = await request.approve(open);
  if (refused !== undefined) return refused;
  if (Object.keys(tuning).length > 0) await ledger.tune(batch.name, tuning);
  return openAll(request, { type: 'open', open });
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
  { ledger, batch, tuning, draft }: Pick<Opening, 'ledger' | 'batch' | 'tuning' | 'draft'>,
  { yes, canAsk, balance, confirmAbove }: Payer,
): Promise<RedriveFacts> {
  const { paying: rows, isEstimate, bill, replaced, lost, resubmitted } = draft;
  const budget = await budgetLeftFor(ledger, batch, tuning);
  const budgetNeeded = budgetFor(await ledger.money(batch.name), bill.quoted);
  const ofBatch = { budget, budgetNeeded, isBudgetLeft: true } as const;
  return { rows, bill, isEstimate, replaced, lost, resubmitted, yes, canAsk, balance, confirmAbove, ...ofBatch };
}

type Opening = Omit<KnownRedrive<SpendFacts>, 'approve'>;

/** Opens all rows; `then`: what follows. */
async function openAll(
  request: Opening,
  then: { readonly type: 'finished' } | { readonly type: 'open'; readonly open: OpenApi },
): Promise<Redriven> {
  const { ledger, batch, draft, rows } = request;
  const opened = await openRows(ledger, batch.name, draft, rows);
  if (opened.type === 'refused') return { ...opened, type: 'not-opened' };
  await allowTaken(request, opened.movedOn);
  return { ...opened, ...then };
}

/**
 * The files of the batch may replace a file whose edits are all in the ledger now. `movedOn`: rows that were not taken
 * from it.
 */
async function allowTaken({ draft, fileSha256, out }: Opening, movedOn: number): Promise<void> {
  if (out !== null && fileSha256 !== null && movedOn + draft.untaken + draft.leftEdited === 0)
    await allowReplacing(out, [fileSha256]);
}
