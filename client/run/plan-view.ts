import type { Leftovers } from '../../batches/status/leftovers.ts';
import { billLines, pricesOf, spendFacts } from '../../batches/plan/bill-lines.ts';
import type { ManifestPlan } from '../../batches/plan/plan-manifest.ts';
import type { Pilot } from '../../batches/subset/pilot.ts';
import type { ResolvedVoice } from '../../inputs/manifest-options.ts';
import type { ManifestSummary } from '../../inputs/read-manifest.ts';
import type { UsedVoices } from '../../inputs/voices/voice-uses.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Counts, Money } from '../../ledger/batches/counts.ts';
import type { SpendFacts } from '../../contract/spend.ts';
import { decideSpend, type SpendDecision } from '../../policy/money/spend.ts';
import { dialectChoiceOf } from '../../contract/batch.ts';
import type { ManifestProblem } from '../../contract/manifest-problems.ts';
import { roundCredits, type Price } from '../../contract/price-units.ts';
import type { RowReasons } from '../../policy/plan/reason-groups.ts';
import type { Balance } from '../account/account-functions.ts';
import { resultsOf } from '../status/counts-view.ts';
import { viewTunables } from '../control/tunables-view.ts';
import type { VoxbatchError } from '../problem.ts';
import type { UnconfirmedConfig } from '../trust/folder-config.ts';
import type { ResolvedVoices } from '../voices/resolve-voices.ts';
import type { RunPlan } from './check-run.ts';
import { secondCharges } from './price.ts';
import { decideRunStart } from './run-start.ts';

/** A batch on record that is finished. */
export interface FinishedOnRecord {
  readonly batch: BatchRecord;
  readonly counts: Counts;
  readonly money: Money;
  readonly leftovers: Leftovers;
  readonly pilot: Pilot | undefined;
}

/** A row that makes a voice, and the rows that wait for it. */
export interface AwaitedRow {
  readonly voice: string;
  /** The row that makes it, and its line. */
  readonly row: number;
  readonly line: number;
  /** How many rows wait for it, and the line of the first. */
  readonly rows: number;
  readonly firstLine: number;
}

/** Facts gathered for a plan. */
interface PlanFacts {
  /** The manifest's name as the user knows it. */
  readonly manifest: string;
  readonly plan: RunPlan;
  readonly planned: ManifestPlan;
  /** Counts of the existing batch of this name. */
  readonly counts: Counts | undefined;
  readonly balance: Balance;
  readonly disk: {
    /** Free disk space in bytes; null if unknown. */
    readonly free: number | null;
    readonly store: string;
  };
  /** The batch, if it is finished. */
  readonly finished: FinishedOnRecord | undefined;
  /** The inputs of the batch's rows were removed. */
  readonly isCleaned: boolean;
  /** Why a run would refuse the store, or the out folder. */
  readonly placeProblem: VoxbatchError | undefined;
  /**
   * The ledger. `none`: there is none; `unconfirmed`: it may have come with the folder; `known`: it is the user's own.
   */
  readonly records: 'none' | 'unconfirmed' | 'known';
}

/** Everything that a plan shows. */
export type PlanView = ReturnType<typeof planView>;

/**
 * Derives from the gathered facts what a run would do. `checked`: the manifest at full price; `yes`: the bill is
 * confirmed.
 */
export function planView({
  yes,
  checked,
  voices,
  ...found
}: PlanFacts & {
  readonly checked: ManifestSummary;
  readonly voices: Extract<ResolvedVoices, { readonly type: 'sound' }>;
  readonly yes: boolean;
}) {
  const { plan, planned, balance } = found;
  const isKnown = planned.type === 'known';
  const settings = isKnown ? planned.batch.settings : plan.settings;
  const billed = isKnown ? { ...checked, ...planned.left.bill, chosen: planned.left.rows } : planned.summary;
  const summary = { ...billed, warnings: [...checked.warnings, ...voices.warnings] };
  const credits = 'credits' in balance ? balance.credits : null;
  const payer = { balance: credits, yes, canAsk: true, confirmAbove: plan.confirmAbove };
  const ofBill = spendFacts(summary, settings, payer);
  const facts: SpendFacts & { readonly bill: ManifestSummary; readonly isBudgetLeft?: boolean } = isKnown
    ? { ...ofBill, budget: planned.budget, isBudgetLeft: true }
    : ofBill;
  // A recorded batch's other rows were approved when it was created.
  const isAgreed = isKnown && planned.left.more.rows === 0;
  return {
    ...found,
    /** The bill net of existing results; for a recorded batch, what is left of it. */
    summary,
    /** Of the batch. */
    settings,
    facts,
    rows: checked.rows,
    chosen: checked.chosen,
    /** What a run would do if a person can be asked. */
    decision: isAgreed ? ({ type: 'go', notes: [] } satisfies SpendDecision) : decideSpend(facts),
    bill: billLines(summary, settings),
    prices: pricesOf(summary, settings),
    /** Rows that make voices which other rows use; empty for a recorded batch. */
    awaited: awaitedRows(checked.voices, voices.voices),
  };
}

/** The rows that make voices which other rows use, in manifest order. */
export function awaitedRows(
  { uses, makers }: UsedVoices,
  voices: ReadonlyMap<string, ResolvedVoice>,
): readonly AwaitedRow[] {
  const byRow = new Map(makers.map((maker) => [maker.row, maker]));
  const found = new Map<number, AwaitedRow>();
  for (const { voice, rows, line } of uses) {
    const resolved = voices.get(voice);
    const maker = resolved?.type === 'made' ? byRow.get(resolved.row) : undefined;
    if (maker === undefined) continue;
    // Rows may write the same voice differently: `name:Ada`, `name:ada`.
    const before = found.get(maker.row);
    found.set(maker.row, {
      voice: `name:${maker.name}`,
      row: maker.row,
      line: maker.line,
      rows: rows + (before?.rows ?? 0),
      firstLine: Math.min(line, before?.firstLine ?? line),
    });
  }
  return [...found.values()].sort((one, other) => one.row - other.row);
}

/**
 * Views a plan for `--json`. Money in credits, sizes in bytes.
 *
 * @param refusal why a run would be refused, as a sentence
 * @param unconfirmed what the folder's config says and was not used
 */
export function viewPlan(view: PlanView, refusal: string | null, unconfirmed?: UnconfirmedConfig) {
  const { manifest, plan, settings, summary, bill, balance, disk, planned } = view;
  const { kinds, total } = bill;
  const isKnown = planned.type === 'known';
  const credits = 'credits' in balance ? balance.credits : null;
  return {
    ...{ batch: plan.name, manifest, manifestDigest: summary.digest, out: plan.out },
    apiDialect: dialectChoiceOf(settings),
    legacyRows: total.legacy,
    ...viewLine(total),
    notChosen: view.rows - view.chosen,
    /** Null for a batch on record. */
    reasons: isKnown ? null : viewReasons(planned.reasons),
    secondCharges: secondCharges(isKnown ? planned.left.reasons : planned.reasons, settings.cache).map(
      viewSecondCharge,
    ),
    /** False if its rows could not be compared with earlier ones. */
    compared: isKnown || planned.isCompared,
    /** The batch that has the name already. */
    existing: viewExisting(view),
    /** What each name of the cast would cost, in order of their first rows. */
    cast: summary.speakers.map((sum) => viewSpeaker(sum, settings)),
    kinds: new Map(kinds.map((line) => [line.kind, viewLine(line)])),
    /** What a unit of each operation costs. */
    prices: new Map([...view.prices].map(([operation, price]) => [operation, viewPrice(price)])),
    unpricedRows: summary.unpricedRows.first,
    notProbed: { count: summary.notProbed.count, rows: summary.notProbed.first },
    balance: credits,
    balanceAfter: credits === null ? null : roundCredits(credits - total.quoted),
    balanceUnknown: 'why' in balance ? balance.why : null,
    /** What the budget pays for; null if it covers all, or there is none. */
    affordable: summary.affordable && { rows: summary.affordable.rows, credits: summary.affordable.quoted },
    disk: { bytes: summary.disk.bytes, free: disk.free, estimated: true, rowsUnknown: summary.disk.unknown },
    run: decideRunStart(view).type,
    refusal,
    ...viewTunables(settings),
    unconfirmed: unconfirmed === undefined ? null : Object.keys(unconfirmed.members),
    columns: summary.columns,
    waits: view.awaited,
    warnings: summary.warnings,
    problems: [] as readonly ManifestProblem[],
  };
}

function viewSpeaker({ name, quoted, ...sum }: ManifestSummary['speakers'][number], { reading }: PlanView['settings']) {
  const voice = reading.cast?.members.find((one) => one.name === name)?.values['voice'] ?? null;
  return {
    name,
    voice,
    rows: sum.rows,
    characters: sum.characters,
    free: sum.free,
    credits: quoted,
    unpriced: sum.unpriced,
  };
}

/** `batch`: the one that lost the answers; `reconcile` settles them. */
function viewSecondCharge({ reason, ids, ...sum }: RowReasons['again']['groups'][number]) {
  return { batch: reason.batch, rows: sum.rows, credits: sum.quoted, unpriced: sum.unpriced, firstIds: ids };
}

function viewLine({ rows, requests, free, quoted, isEstimate, unpriced, assumed }: PlanView['bill']['total']) {
  return { rows, requests, free, credits: quoted, estimated: isEstimate, unpriced, assumed };
}

function viewPrice({ estimate: estimated, ...price }: Price) {
  return { ...price, estimated };
}

function viewExisting({ planned, counts }: PlanView) {
  if (planned.type === 'new') return null;
  const { batch, differs } = planned.type === 'taken' ? planned.name : { ...planned, differs: null };
  const head = {
    batch: batch.name,
    state: batch.state,
    differs,
    done: counts === undefined ? null : resultsOf(counts),
  };
  if (planned.type === 'taken') return head;
  const { left, enough } = planned;
  const { rows, quoted: credits } = left.overBudget;
  const overBudget = rows === 0 ? null : { rows, credits, enough };
  return { ...head, left: left.rows, newlyChosen: left.more.rows, underWay: left.underWay, overBudget };
}

function viewReasons({ cached, equal, new: fresh, changed, again }: RowReasons) {
  const sums = { cached: viewSum(cached), equal: viewSum(equal), new: viewSum(fresh) };
  const of = (sum: RowReasons['changed']) => ({ ...viewSum(sum), groups: sum.groups.map(viewGroup) });
  return { ...sums, changed: of(changed), again: of(again) };
}

function viewGroup({ reason, isSame, ids, ...sum }: RowReasons['changed']['groups'][number]) {
  const facts =
    reason.type === 'changed' ? { changes: reason.changes, sameValues: isSame } : { lastOutcome: reason.ended };
  return { lastBatch: reason.batch, ...facts, ...viewSum(sum), firstIds: ids };
}

function viewSum({ rows, quoted, unpriced, saved }: RowReasons['new']) {
  return { rows, credits: quoted, unpriced, saved };
}
