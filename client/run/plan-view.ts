import type { Leftovers } from '../../batches/look/leftovers.ts';
import { billLines, pricesOf, spendFacts } from '../../batches/plan/bill-lines.ts';
import type { ManifestPlan } from '../../batches/plan/plan-manifest.ts';
import type { Pilot } from '../../batches/subset/pilot.ts';
import type { VoiceMeant } from '../../inputs/manifest-options.ts';
import type { ManifestSummary } from '../../inputs/read-manifest.ts';
import type { UsedVoices } from '../../inputs/voices/voice-uses.ts';
import type { BatchRecord, Counts, Money } from '../../ledger/record-types.ts';
import type { SpendFacts } from '../../contract/spend.ts';
import { decideSpend, type SpendDecision } from '../../policy/money/spend.ts';
import type { Balance } from '../account/account-functions.ts';
import type { VoxbatchError } from '../problem.ts';
import type { KnownVoices } from '../voices/know-voices.ts';
import type { RunPlan } from './check-run.ts';

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

/** What was found out for a plan. */
interface PlanFacts {
  /** As the user knows it. */
  readonly manifest: string;
  readonly plan: RunPlan;
  readonly planned: ManifestPlan;
  /** Of the batch that has the name. */
  readonly counts: Counts | undefined;
  readonly balance: Balance;
  readonly disk: {
    /** Bytes; null if the system does not say. */
    readonly free: number | null;
    readonly store: string;
  };
  /** The batch, if it is finished. */
  readonly finished: FinishedOnRecord | undefined;
  /** What the rows of the batch asked for was removed. */
  readonly isCleaned: boolean;
  /** Why a run would refuse the store. */
  readonly storeProblem: VoxbatchError | undefined;
  /** The ledger: there is none, it may have come with the folder, or it is the user's. */
  readonly records: 'none' | 'unconfirmed' | 'known';
}

/** All that a plan shows. */
export type PlanView = ReturnType<typeof planView>;

/** Works out what a run would do. `checked`: the manifest at full price; `yes`: the bill is confirmed already. */
export function planView({
  yes,
  checked,
  voices,
  ...found
}: PlanFacts & {
  readonly checked: ManifestSummary;
  readonly voices: Extract<KnownVoices, { readonly type: 'sound' }>;
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
  // The other rows of a batch on record were agreed to when it was made.
  const isAgreed = isKnown && planned.left.newlyChosen === 0;
  return {
    ...found,
    /** Billed without what is there already; for a batch on record, what is left of it. */
    summary,
    /** Of the batch. */
    settings,
    facts,
    rows: checked.rows,
    chosen: checked.chosen,
    /** What a run would do where somebody can be asked. */
    decision: isAgreed ? ({ type: 'go', notes: [] } satisfies SpendDecision) : decideSpend(facts),
    bill: billLines(summary, settings),
    prices: pricesOf(summary, settings),
    /** Rows that others wait for; none of a batch on record. */
    awaited: awaitedRows(checked.voices, voices.voices),
  };
}

/** The rows of a manifest that others wait for, in its order. */
export function awaitedRows(
  { uses, makers }: UsedVoices,
  voices: ReadonlyMap<string, VoiceMeant>,
): readonly AwaitedRow[] {
  const byRow = new Map(makers.map((maker) => [maker.row, maker]));
  const found = new Map<number, AwaitedRow>();
  for (const { voice, rows, line } of uses) {
    const meant = voices.get(voice);
    const maker = meant?.type === 'made' ? byRow.get(meant.row) : undefined;
    if (maker === undefined) continue;
    // Rows may ask for one voice in several ways: `name:Ada`, `name:ada`.
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
