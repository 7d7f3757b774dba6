import { billLines, pricesOf, type BillLine } from '../../batches/bill-lines.ts';
import { PRICE_UNITS, roundCredits, type Price } from '../../contract/price-units.ts';
import type { Operation } from '../../contract/row-kinds.ts';
import { subsetFlags } from '../../contract/subset.ts';
import type { ManifestSummary } from '../../inputs/read-manifest.ts';
import type { SpendDecision } from '../../policy/spend.ts';
import type { Balance } from '../account/read-balance.ts';
import { clock, number } from '../terminal/progress.ts';
import { size } from '../terminal/size.ts';
import { namedRowLines, noteText, questionText, refusalText, type TellableFacts } from '../terminal/spend-words.ts';
import { chosenInWords } from '../terminal/row-words.ts';
import { tableLines } from '../terminal/table.ts';
import { tunablesJson } from '../terminal/tunable-words.ts';
import type { RunPlan } from './run-options.ts';

/** Everything that `plan` found out. */
export interface PlanReport {
  readonly manifest: string;
  readonly plan: RunPlan;
  readonly summary: ManifestSummary;
  readonly balance: Balance;
  readonly disk: {
    /** Bytes; null if the system does not say. */
    readonly free: number | null;
    readonly store: string;
  };
  /** What `run` would do on a terminal, and the facts behind that. */
  readonly decision: SpendDecision;
  readonly facts: TellableFacts;
}

/** The report as lines for people. */
export function planLines(report: PlanReport): readonly string[] {
  const { manifest, plan, summary, decision, facts } = report;
  const { kinds, total } = billLines(summary, plan.settings);
  const lines = [
    `Batch "${plan.name}" from ${manifest}${choiceInWords(report)}`,
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
    `Prices: ${[...pricesOf(summary, plan.settings)].map(([operation, price]) => priceInWords(operation, price)).join('; ')}`,
  ];
  if (total.isEstimate)
    lines.push('~ estimate: from public prices or an assumed length; set your own prices in voxbatch.config.json');
  if (total.unpriced > 0) {
    lines.push(
      'To price these rows, add a duration column (seconds), --probe or --assume-seconds. Without a budget they run anyway:',
      ...namedRowLines(summary.unpricedRows),
    );
  }
  const { retakes } = plan.settings;
  if (retakes > 0)
    lines.push(`Not included: up to ${String(retakes)} retakes per row after failed jobs, each at full price.`);
  const { rate } = plan.settings.limits;
  if (rate !== null)
    lines.push(`At ${number(rate)} paid requests per second: at least ${clock((total.requests / rate) * 1_000)}`);
  lines.push(balanceLine(report), diskLine(report), ...decision.notes.map((note) => noteText(note, facts)));
  if (decision.type === 'ask') lines.push(`run asks for confirmation: ${questionText(facts)} (--yes confirms)`);
  if (decision.type === 'refuse') lines.push('run refuses this (exit code 3):', refusalText(decision.why, facts));
  return lines;
}

/** `: 20 of 1,000 rows (--limit 20)` */
function choiceInWords({ plan, summary: { chosen, rows } }: PlanReport): string {
  return plan.subset === null ? '' : `: ${chosenInWords(chosen, rows)} (${subsetFlags(plan.subset).join(' ')})`;
}

/** The report for machines. Money in credits, sizes in bytes. */
export function planJson(report: PlanReport): object {
  const { manifest, plan, summary, balance, disk, decision } = report;
  const { settings } = plan;
  const { kinds, total } = billLines(summary, settings);
  const lineJson = ({ rows, requests, quoted, isEstimate, unpriced, assumed }: BillLine): object => {
    return { rows, requests, credits: quoted, estimated: isEstimate, unpriced, assumed };
  };
  return {
    batch: plan.name,
    manifest,
    manifest_digest: summary.digest,
    out: plan.out,
    ...lineJson(total),
    not_chosen: summary.rows - summary.chosen,
    kinds: Object.fromEntries(kinds.map((line) => [line.kind, lineJson(line)])),
    prices: Object.fromEntries(pricesOf(summary, plan.settings)),
    unpriced_rows: summary.unpricedRows.first,
    not_probed: { count: summary.notProbed.count, rows: summary.notProbed.first },
    balance: 'credits' in balance ? balance.credits : null,
    balance_after: 'credits' in balance ? roundCredits(balance.credits - total.quoted) : null,
    balance_unknown: 'why' in balance ? balance.why : null,
    affordable: summary.affordable && { rows: summary.affordable.rows, credits: summary.affordable.quoted },
    disk: { bytes: summary.disk.bytes, free: disk.free, estimate: true, rows_unknown: summary.disk.unknown },
    run: decision.type,
    refusal: decision.type === 'refuse' ? refusalText(decision.why, report.facts) : null,
    ...tunablesJson(settings),
    columns: summary.columns,
    warnings: summary.warnings,
    problems: [],
  };
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
