import { billLines, pricesOf, spendFacts, type BillLine } from '../../batches/plan/bill-lines.ts';
import type { BatchDifference } from '../../batches/load-batch.ts';
import type { ManifestPlan } from '../../batches/plan/plan-manifest.ts';
import type { RowsLeft } from '../../batches/plan/rows-left.ts';
import type { BatchSettings } from '../../contract/batch.ts';
import { PRICE_UNITS, roundCredits, type Price } from '../../contract/price-units.ts';
import type { Operation } from '../../contract/row-kinds.ts';
import { subsetFlags } from '../../contract/subset.ts';
import type { ManifestSummary } from '../../inputs/read-manifest.ts';
import type { ManifestWarning } from '../../inputs/problems.ts';
import type { Counts } from '../../ledger/record-types.ts';
import { decideSpend, type SpendDecision } from '../../policy/money/spend.ts';
import type { Balance } from '../../client/account/account-functions.ts';
import type { UnconfirmedConfig } from '../../client/trust/folder-config.ts';
import { inCredits } from '../terminal/money.ts';
import { chosenOf, doneOf } from '../../client/look/counts.ts';
import { clock, number, size } from '../terminal/words.ts';
import { dialectWords } from '../terminal/status-words.ts';
import { reasonLines } from '../terminal/reason-words.ts';
import { namedRowLines, noteText, questionText, refusalText, type TellableFacts } from '../terminal/spend-words.ts';
import { chosenInWords, rowsInWords } from '../terminal/row-words.ts';
import { tableLines } from '../terminal/table.ts';
import { awaitedLines, type AwaitedRow } from './awaited-rows.ts';
import { hookLines, unconfirmedLines } from './hook-lines.ts';
import type { RunPlan } from './run-options.ts';

/** What `plan` found out. */
export interface PlanFacts {
  readonly manifest: string;
  readonly plan: RunPlan;
  /** The manifest at full price. */
  readonly checked: ManifestSummary;
  readonly planned: ManifestPlan;
  /** Of the batch that has the name. */
  readonly counts: Counts | undefined;
  /** Voices that the API does not list. */
  readonly ofVoices: readonly ManifestWarning[];
  /** Rows that others wait for; none of a batch on record. */
  readonly awaited: readonly AwaitedRow[];
  readonly balance: Balance;
  /** What the folder's config says and was not used. */
  readonly unconfirmed?: UnconfirmedConfig | undefined;
  readonly disk: {
    /** Bytes; null if the system does not say. */
    readonly free: number | null;
    readonly store: string;
  };
}

/** Everything that `plan` tells. */
export interface PlanReport extends PlanFacts {
  /** Billed without what is there already; for a batch on record, what is left of it. */
  readonly summary: ManifestSummary;
  /** Rows of the manifest that are chosen. */
  readonly chosen: number;
  /** Of the batch. */
  readonly settings: BatchSettings;
  /** What `run` would do on a terminal, and the facts behind that. */
  readonly decision: SpendDecision;
  readonly facts: TellableFacts;
}

/** Works out what `run` would do. `yes`: the bill is confirmed already. */
export function reportOf({ yes, ...found }: PlanFacts & { readonly yes: boolean }): PlanReport {
  const { plan, checked, planned, ofVoices, balance } = found;
  const isKnown = planned.type === 'known';
  const settings = isKnown ? planned.batch.settings : plan.settings;
  const billed = isKnown ? { ...checked, ...planned.left.bill, chosen: planned.left.rows } : planned.summary;
  const summary = { ...billed, warnings: [...checked.warnings, ...ofVoices] };
  const credits = 'credits' in balance ? balance.credits : null;
  const payer = { balance: credits, yes, canAsk: true, confirmAbove: plan.confirmAbove };
  const ofBill = spendFacts(summary, settings, payer);
  const facts = isKnown ? { ...ofBill, budget: planned.budget, isBudgetLeft: true } : ofBill;
  // The other rows of a batch on record were agreed to when it was made.
  const isAgreed = isKnown && planned.left.newlyChosen === 0;
  const decision: SpendDecision = isAgreed ? { type: 'go', notes: [] } : decideSpend(facts);
  return { ...found, summary, chosen: checked.chosen, settings, decision, facts };
}

/** The report as lines for people. */
export function planLines(report: PlanReport): readonly string[] {
  const { plan, manifest, summary, settings, decision, facts, planned } = report;
  const { total } = billLines(summary, settings);
  const lines = [
    `Batch "${plan.name}" from ${manifest}${choiceInWords(report)}`,
    ...standingLines(report),
    ...(summary.chosen === 0 ? [] : billTable(report)),
    ...dialectLines(total, settings),
    ...(planned.type === 'known' ? [] : reasonLines(planned.reasons, settings.cache, total.isEstimate)),
  ];
  lines.push(...awaitedLines(report.awaited));
  if (total.unpriced > 0) {
    lines.push(
      'To price these rows, add a duration column (seconds), --probe or --assume-seconds. Without a budget they run anyway:',
      ...namedRowLines(summary.unpricedRows),
    );
  }
  const { retakes } = settings;
  if (retakes > 0)
    lines.push(
      `Not included: up to ${retakes === 1 ? '1 retake' : `${String(retakes)} retakes`} per row after failed jobs and unfit results, each at full price.`,
    );
  const { rate } = settings.limits;
  if (rate !== null)
    lines.push(`At ${number(rate)} paid requests per second: at least ${clock((total.requests / rate) * 1_000)}`);
  lines.push(...hookLines(settings), ...unconfirmedLines(report.unconfirmed));
  lines.push(balanceLine(report), diskLine(report), ...decision.notes.map((note) => noteText(note, facts)));
  if (decision.type === 'ask') lines.push(`run asks for confirmation: ${questionText(facts)} (--yes confirms)`);
  if (decision.type === 'refuse') lines.push('run refuses this (exit code 3):', refusalText(decision.why, facts));
  return lines;
}

/** What is on record of the batch that has the name. */
function standingLines({ planned, counts }: PlanReport): readonly string[] {
  if (planned.type === 'new') return [];
  const done = counts === undefined ? '' : `: ${number(doneOf(counts))} of ${rowsInWords(chosenOf(counts))} done`;
  if (planned.type === 'taken') {
    const isSame = SAME_MANIFEST.has(planned.name.differs);
    return [
      `${isSame ? 'A batch of this manifest, made with other flags,' : 'Another batch'} has this name${done}. run refuses it.`,
      'These are the figures of a new batch under another name:',
    ];
  }
  const { batch, left } = planned;
  const under = left.underWay === 0 ? '' : `, ${number(left.underWay)} more paid for and under way`;
  const pay = left.rows === 0 ? 'Nothing is left to pay for.' : `Left to pay for: ${rowsInWords(left.rows)}.`;
  return [
    `It is on record${done}${under}. ${pay}`,
    ...(batch.state === 'closed' ? ['It is finished.'] : []),
    ...overBudgetLines(left),
  ];
}

/** Rows that this run would leave out once more. */
function overBudgetLines({ overBudget: { rows, quoted } }: RowsLeft): readonly string[] {
  if (rows === 0) return [];
  const cost = quoted === null ? 'at an unknown price' : inCredits(quoted);
  return [`Over the budget, and left out again: ${rowsInWords(rows)}, ${cost}.`];
}

/** Differences of a batch whose manifest is the same. */
const SAME_MANIFEST: ReadonlySet<BatchDifference> = new Set(['dialect', 'reading', 'file-names'] as const);

/** Rows and prices by kind, and the prices behind them. */
function billTable({ summary, settings }: PlanReport): readonly string[] {
  const { kinds, total } = billLines(summary, settings);
  return [
    ...tableLines<BillLine>(
      [
        { title: 'kind', value: ({ kind }) => kind },
        { title: 'rows', value: ({ rows }) => number(rows), align: 'right' },
        { title: 'paid requests', value: ({ requests }) => number(requests), align: 'right' },
        { title: 'credits', value: creditsOf, align: 'right' },
        { title: 'rows without a price', value: ({ unpriced }) => number(unpriced), align: 'right' },
      ],
      kinds.length > 1 ? [...kinds, total] : kinds,
    ),
    `Prices: ${[...pricesOf(summary, settings)].map(([operation, price]) => priceInWords(operation, price)).join('; ')}`,
    ...(total.isEstimate
      ? ['~ estimate: from public prices or an assumed length; set your own prices in voxbatch.config.json']
      : []),
  ];
}

/** How many of the rows use the legacy paths; nothing for a batch that has none. */
function dialectLines({ rows, legacy }: BillLine, settings: BatchSettings): readonly string[] {
  const words = dialectWords(settings);
  return words === '' ? [] : [`By the legacy paths of the API: ${number(legacy)} of ${rowsInWords(rows)}${words}`];
}

/** `: 20 of 1,000 rows (--limit 20)` */
function choiceInWords({ plan, chosen, checked }: PlanReport): string {
  return plan.subset === null ? '' : `: ${chosenInWords(chosen, checked.rows)} (${subsetFlags(plan.subset).join(' ')})`;
}

/** `speech-job 0.5 credits per character, a CJK character counts as 2 (estimate)` */
function priceInWords(operation: Operation, { unit, credits, cjkFactor, estimate }: Price): string {
  const cjk = cjkFactor === undefined || cjkFactor === 1 ? '' : `, a CJK character counts as ${String(cjkFactor)}`;
  return `${operation} ${String(credits)} ${credits === 1 ? 'credit' : 'credits'} ${PRICE_UNITS[unit].words}${cjk}${estimate ? ' (estimate)' : ''}`;
}

function creditsOf({ quoted, isEstimate, rows, unpriced }: BillLine): string {
  if (rows > 0 && rows === unpriced) return 'unknown';
  return `${isEstimate ? '~' : ''}${number(quoted)}${unpriced > 0 ? ' + unknown' : ''}`;
}

function balanceLine({ balance, summary }: PlanReport): string {
  if ('why' in balance) return `Balance: unknown (${balance.why})`;
  const left = roundCredits(balance.credits - summary.quoted);
  const then = summary.unpriced > 0 ? 'minus rows without a price' : 'after this batch';
  return `Balance: ${number(balance.credits)} API credits; ${number(left)} ${then}`;
}

function diskLine({ summary, disk }: PlanReport): string {
  const { bytes, unknown } = summary.disk;
  const free = disk.free === null ? 'free space unknown' : `${size(disk.free)} free`;
  const rows = unknown === 1 ? '1 row' : `${number(unknown)} rows`;
  const without = unknown > 0 ? `, not counting ${rows} of unknown length` : '';
  const tooMuch = disk.free !== null && bytes > disk.free ? ' WARNING: more than the free space.' : '';
  return `Disk: about ${size(bytes)} of results (rough estimate${without}); ${free} at ${disk.store}.${tooMuch}`;
}
