import { dirname, resolve } from 'node:path';
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
import type { By } from '../../contract/actions.ts';
import { byPerson } from '../history/by-person.ts';
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
import { localMediaRules } from '../local-media/local-media-rules.ts';
import { warningsOf } from '../local-media/short-links.ts';
import type { WebhookWish } from '../webhooks/webhook-options.ts';
import type { BillSummary } from '../../inputs/money/bill.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { budgetFor } from '../../policy/money/budget.ts';
import type { SpendFacts } from '../../contract/spend.ts';
import { allowReplacing } from '../../results/redrive/edited-tables.ts';
import { requireSameRealm } from '../open-api.ts';
import { claimOut, requireOwnOut, requireRemembered } from '../look/write-files.ts';
import { requireOwnServer } from '../temporal/own-server.ts';
import { requirePort } from '../webhooks/hint-listener.ts';

/**
 * Which ended rows to run again, and how: those in a file, or those that meet all other conditions. At least one is
 * required.
 */
export interface RedriveOptions extends RedriveSelection {
  /** Path of an edited copy of the manifest, or of an outcome file. Edited rows run again. */
  readonly from?: string;
  /** The sheet of that file, if it is an Excel workbook. Default: the first that is not hidden. */
  readonly sheet?: string;
  /** Changes to the batch's limits, budget and policies, made along with the redrive. */
  readonly tuning?: Tuning;
  /** Folder of the batch's files. Default `out/NAME`. */
  readonly out?: string;
  /** Why, for the record. */
  readonly reason?: string;
  /**
   * Called before paying a bill above the configuration's `confirmAbove`, before replacing a result, and before paying
   * for a row that may already have been charged. Default: such a bill is refused; the other two need no consent beyond
   * the options.
   */
  readonly confirm?: Confirm<RedriveFacts>;
}

/** A redrive's payment terms and out folder. */
export interface RedriveTerms extends Pick<RedriveOptions, 'tuning'> {
  /** Folder of the batch's files; null: it has none. Default `out/NAME`. */
  readonly out?: string | null;
  /** Bills above this many credits need confirmation; null means none do. Default: the configuration's. */
  readonly confirmAbove?: number | null | undefined;
  /** Webhooks to receive in this process. Nothing is changed if it cannot listen for them. */
  readonly webhook?: WebhookWish | undefined;
  /** What is replaced, or may be charged twice, was asked for by name, so nobody is asked about it. Default: false. */
  readonly isMeant?: boolean;
  /** Why, for the record. */
  readonly reason?: string | undefined;
}

/** A requested redrive. */
export interface RedriveRequest extends RedriveSelection, RedriveTerms {
  /** The file or its path. A file passed in open stays open. */
  readonly from?: string | ManifestSource | undefined;
  /** See {@link RedriveOptions}. */
  readonly sheet?: string | undefined;
  /**
   * Require `resubmit` for `overdue` rows, because it is unclear whether to pay for them or to wait. Default: false.
   */
  readonly asksForOverdue?: boolean;
  /**
   * Create an empty store to replace a missing one, because a person has confirmed that its files are lost. Default:
   * false.
   */
  readonly newStore?: boolean;
}

/** Events while a redrive is planned. */
export type RedriveEvent =
  /** The file was read, possibly with warnings. */
  | { readonly type: 'file-read'; readonly warnings: EditedRows['checked']['warnings'] }
  /** A lost text was recovered from the records and is stored again, for free. */
  | { readonly type: 'rewritten'; readonly key: string }
  /** The plan is complete; only its price is yet to be approved. */
  | { readonly type: 'planned'; readonly forecast: RedriveForecast };

/** Called with each event. */
export type TellRedrive = (event: RedriveEvent) => void;

/** Whoever approves a redrive's price. */
export type RedrivePerson = Person<SpendQuestion<RedriveFacts>>;

/**
 * Why a redrive is not possible: unknown rows or takes, a file that does not fit the batch, edits to rows that have not
 * ended, or rows that need an explicit option.
 */
export type NotRedrivable =
  | NoSuchRow
  | Exclude<EditedRows, { readonly type: 'found' }>
  /** `forecast.openEdited` rows would continue, and be charged, unedited: stop the batch first. */
  | { readonly type: 'open-edits'; readonly forecast: RedriveForecast }
  /** `forecast.refused` lists the rows with reasons; `resubmit` may be missing. */
  | { readonly type: 'refused-rows'; readonly forecast: RedriveForecast };

/** A redrive's effect and price. Nothing was changed. */
export type RedriveCheck = { readonly type: 'ready'; readonly forecast: RedriveForecast } | NotRedrivable;

/**
 * A redrive's effect and price, plus the questions and remarks that would precede it. `refusal`: why it would be
 * refused.
 */
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

/**
 * Result of a priced redrive. `finished`: no work is left. `open`: the batch needs a worker. In both, `opened` and
 * `movedOn` are those of `OpenedRows`. In the other cases nothing was changed, except by `not-opened`.
 */
export type PaidEnd =
  | ({ readonly type: 'finished' } & OpenedForecast)
  | ({ readonly type: 'open' } & OpenedForecast)
  /** Results would be replaced, which needs a person's consent, and nobody can be asked. */
  | { readonly type: 'unasked'; readonly forecast: RedriveForecast }
  /** The draft must not be carried out. */
  | { readonly type: RedriveRefusal; readonly forecast: RedriveForecast }
  /** The ledger refused, in its own words; `opened` rows had been opened before that. */
  | { readonly type: 'not-opened'; readonly opened: number; readonly why: string }
  | NotApproved<RedriveFacts>;

interface OpenedForecast {
  readonly opened: number;
  readonly movedOn: number;
  readonly forecast: RedriveForecast;
}

/** Result of a redrive. */
export type RedriveEnd = PaidEnd | NotRedrivable;

/**
 * Reports what a redrive would do and whether it would ask. Reads only the ledger, the store and the file, not the
 * account's balance. Changes nothing.
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
    const facts = await redriveFacts(await session.ledger(), batch, draft, request.tuning, payer);
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
 * Selects the rows and reopens them once their bill is approved. Sends nothing. Throws {@link VoxbatchError}
 * (`bad-option`, `loading`, `cleaned`, and those of {@link redrivePlanned}).
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

/** The selected rows and their plan. */
interface RedrivePlan {
  readonly draft: RedriveDraft;
  /** The same rows, for a second pass. */
  readonly rows: FoundRows;
  /** SHA-256 of the file that the rows were read from; null without a file. */
  readonly fileSha256: string | null;
}

/**
 * Opens a plan's rows in the ledger if the spending rules and the person allow it, and claims the out folder for the
 * batch. Sends nothing. Throws {@link VoxbatchError} (those of opening the API, `other-realm`, `unwritable-out`,
 * `taken-out`, `no-webhook-port`, those of {@link requireOwnServer}).
 */
export async function redrivePlanned(
  session: Session,
  batch: BatchRecord,
  plan: RedrivePlan,
  terms: RedriveTerms,
  person: RedrivePerson,
  tell: TellRedrive,
): Promise<PaidEnd> {
  const { draft: forecast } = plan;
  const { tuning = {}, isMeant = false } = terms;
  if (forecast.refusal !== undefined) return { type: forecast.refusal, forecast };
  tell({ type: 'planned', forecast });
  if (forecast.replaced > 0 && !isMeant && isUnasked(person)) return { type: 'unasked', forecast };
  const ledger = await session.ledger();
  const out = terms.out === null ? null : resolve(terms.out ?? defaultOut(batch.name));
  if (out !== null) await requireRemembered(out, batch, ledger);
  const credits = forecast.paying > 0 ? forecast.bill.quoted : undefined;
  const by = { ...byPerson(session.settings, terms.reason), credits };
  const openAs = (type: 'finished' | 'open'): Promise<PaidEnd> => openAll(ledger, batch, plan, out, type, by);
  // Another command may have reopened the batch since: then its rows can no longer be selected, but they need a worker.
  const isClosed = ((await ledger.findBatch(batch.name)) ?? batch).state === 'closed';
  const isNothing = forecast.count === 0;
  if (isNothing && isClosed) {
    if (out !== null) await requireOwnOut(out, batch, ledger);
    return openAs('finished');
  }
  if (out !== null) await claimOut(out, batch, ledger);
  if (forecast.isSettling && isClosed) return openAs('finished');
  const open = await session.api();
  // Checked before rows are opened: with the wrong store, nobody could work on them.
  await session.store();
  requireSameRealm(batch, open);
  // Workers that run elsewhere pay for opened rows, though this command cannot reach Temporal, or is refused by it.
  await requireOwnServer(session.settings, ledger);
  // The same redrive may have opened all rows before it was killed; it then continues with them.
  if (isNothing) return openAs('open');
  await requirePort(terms.webhook, open, ledger);
  // Of a single job meant again, the cache mode `only` sends nothing. Rows of a batch stay open for a later mode, which asks nobody.
  const isFree = isMeant && tuning.cache === 'only';
  if (forecast.paying > 0 && !isFree) {
    const payer = payerOf(person, open, confirmAboveOf(session, terms));
    const facts = await redriveFacts(ledger, batch, forecast, tuning, payer);
    const refused = await approve(facts, person, !isMeant && isDoubtful(forecast));
    if (refused !== undefined) return refused;
  }
  if (Object.keys(tuning).length > 0) await ledger.tune(batch.name, tuning, by);
  return openAs('open');
}

/** Whether a possible double charge needs a person's consent, and nobody can be asked. */
export function isUnasked({ mustAgree = false, yes, canAsk }: Omit<Person, 'confirm'>): boolean {
  return mustAgree && !yes && !canAsk;
}

/** Whether a result would be replaced, or a row may be charged twice. */
function isDoubtful({ replaced, resubmitted }: RedriveDraft): boolean {
  return replaced + resubmitted > 0;
}

function confirmAboveOf({ settings }: Session, { confirmAbove }: Pick<RedriveTerms, 'confirmAbove'>): number | null {
  return confirmAbove === undefined ? (settings.config.confirmAbove ?? null) : confirmAbove;
}

/** Runs `work` with the selected rows, keeping their file available meanwhile. `isPreview`: nothing may be stored. */
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
  // Only a person can tell a lost disk from an unmounted one. With only cleaned batches, nothing can be redriven
  // anyway.
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
  const source = typeof from === 'string' ? await openManifest(from, { sheet: request.sheet }) : from;
  try {
    const localMedia = localMediaRules(session.settings, batch.apiUrl);
    // An outcome file lies elsewhere than the manifest whose cells it repeats.
    const filesFrom = [dirname(resolve(batch.source)), process.cwd()];
    const edited = await findEditedRows(source, { ledger, batch, localMedia, filesFrom });
    if (edited.type !== 'faulty') {
      const warnings = await warningsOf(edited.checked, session.settings, batch.settings);
      tell({ type: 'file-read', warnings });
    }
    return edited.type === 'found' ? await workOn(edited.rows, edited.checked.digest) : edited;
  } finally {
    if (typeof from === 'string') await source.close();
  }
}

/** A redrive's price and its other risks. */
export interface RedriveFacts extends SpendFacts {
  readonly bill: BillSummary;
  /**
   * Existing results that will be replaced, including those whose stored file is lost and cannot be recovered for free.
   */
  readonly replaced: number;
  /** Of these, results whose stored file is lost. */
  readonly lost: number;
  /** Rows that may be charged a second time for one result. */
  readonly resubmitted: number;
  /** `budget` is the rest of the batch's budget. */
  readonly isBudgetLeft: true;
  /** The batch budget that would cover all of it. */
  readonly budgetNeeded: number;
}

/** The facts that decide whether a draft's rows may be paid for; see `policy/money/spend.ts`. */
async function redriveFacts(
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

/**
 * Opens all rows. Once all edits of an edited file are in the ledger, the batch's files may replace it.
 *
 * @param type the result once they are open
 */
async function openAll(
  ledger: Ledger,
  batch: BatchRecord,
  { draft: forecast, rows, fileSha256 }: RedrivePlan,
  out: string | null,
  type: 'finished' | 'open',
  by: By,
): Promise<PaidEnd> {
  const opened = forecast.count === 0 ? NOTHING : await openRows(ledger, batch.name, forecast, rows, by);
  if (opened.type === 'refused') return { ...opened, type: 'not-opened' };
  const { untaken, leftEdited } = forecast;
  if (out !== null && fileSha256 !== null && opened.movedOn + untaken + leftEdited === 0)
    await allowReplacing(out, [fileSha256]);
  return { ...opened, type, forecast };
}

const NOTHING = { type: 'opened', opened: 0, movedOn: 0 } as const;
