import type { Price } from '../../contract/prices.ts';
import { KINDS, operationOf, ROW_KINDS, type Kind, type Operation } from '../../contract/row-kinds.ts';
import { formatHalt } from '../../contract/halt.ts';
import type { KindSummary } from '../../inputs/bill.ts';
import type { ManifestSummary } from '../../inputs/read-manifest.ts';
import { isEstimated, namedRowLines, type SpendDecision } from '../check-spend.ts';
import type { Balance } from '../read-balance.ts';
import { limitsJson } from '../terminal/status.ts';
import { clock, number } from '../terminal/progress.ts';
import { tableLines } from '../terminal/table.ts';
import type { RunPlan } from './run-options.ts';

/** Everything that `plan` found out. */
export interface PlanReport {
  readonly manifest: string;
  readonly plan: RunPlan;
  readonly summary: ManifestSummary;
  readonly balance: Balance;
  readonly disk: {
    /** Bytes; null where the system does not tell. */
    readonly free: number | null;
    readonly store: string;
  };
  /** What `run` would do on a terminal. */
  readonly decision: SpendDecision;
}

/** A line of the table: what the rows of a kind would send and cost. */
interface Line extends KindSummary {
  readonly kind: string;
  /** Paid requests: one per step of a row. */
  readonly requests: number;
  /** Part of the sum is from a price or a length that is not certain. */
  readonly estimated: boolean;
}

/** The report as lines for people. */
export function planLines(report: PlanReport): readonly string[] {
  const { manifest, plan, summary, decision } = report;
  const { kinds, total } = linesOf(report);
  const lines = [
    `Batch "${plan.name}" from ${manifest}`,
    ...tableLines<Line>(
      [
        { title: 'kind', value: ({ kind }) => kind },
        { title: 'rows', value: ({ rows }) => number(rows), align: 'right' },
        { title: 'paid requests', value: ({ requests }) => number(requests), align: 'right' },
        { title: 'credits', value: creditsOf, align: 'right' },
        { title: 'rows without a price', value: ({ unpriced }) => number(unpriced), align: 'right' },
      ],
      kinds.length > 1 ? [...kinds, total] : kinds,
    ),
    `Prices: ${[...pricesOf(plan, summary)].map(([operation, price]) => priceInWords(operation, price)).join('; ')}`,
  ];
  if (total.estimated)
    lines.push(
      '~ estimate: from public material, or for an assumed length; your own prices go into voxbatch.config.json',
    );
  if (total.unpriced > 0) {
    lines.push(
      'Rows without a price get one by a duration column (seconds), --probe or --assume-seconds; without a budget they run all the same:',
      ...namedRowLines(summary.unpricedRows),
    );
  }
  const { retakes } = plan.settings;
  if (retakes > 0)
    lines.push(`Retakes come on top: up to ${String(retakes)} a row after jobs that fail, each at its price.`);
  const { rate } = plan.settings.limits;
  if (rate !== null)
    lines.push(`At ${number(rate)} paid requests a second: at least ${clock((total.requests / rate) * 1_000)}`);
  lines.push(balanceLine(report), diskLine(report), ...decision.notes);
  if (decision.do === 'ask') lines.push(`run asks first: ${decision.question} (--yes answers it)`);
  if (decision.do === 'refuse') lines.push('run would refuse this (exit code 3):', decision.why);
  return lines;
}

/** The report for machines. Money in credits, sizes in bytes. */
export function planJson(report: PlanReport): object {
  const { manifest, plan, summary, balance, disk, decision } = report;
  const { settings } = plan;
  const { kinds, total } = linesOf(report);
  const facts = ({ rows, requests, quoted, estimated, unpriced, assumed }: Line): object => {
    return { rows, requests, credits: quoted, estimated, unpriced, assumed };
  };
  return {
    batch: plan.name,
    manifest,
    manifest_digest: summary.digest,
    out: plan.out,
    ...facts(total),
    kinds: Object.fromEntries(kinds.map((line) => [line.kind, facts(line)])),
    prices: Object.fromEntries(pricesOf(plan, summary)),
    unpriced_rows: summary.unpricedRows.first,
    not_probed: { count: summary.notProbed.count, rows: summary.notProbed.first },
    balance: 'credits' in balance ? balance.credits : null,
    balance_after: 'credits' in balance ? round(balance.credits - total.quoted) : null,
    balance_unknown: 'why' in balance ? balance.why : null,
    budget: settings.budget,
    affordable: summary.affordable && { rows: summary.affordable.rows, credits: summary.affordable.quoted },
    disk: { bytes: summary.disk.bytes, free: disk.free, estimate: true, rows_unknown: summary.disk.unknown },
    run: decision.do,
    refusal: decision.do === 'refuse' ? decision.why : null,
    limits: limitsJson(settings.limits),
    halt: formatHalt(settings.halt),
    on_unknown: settings.onUnknown,
    retakes: settings.retakes,
    columns: summary.columns,
    warnings: summary.warnings,
    problems: [],
  };
}

function linesOf({ summary, plan }: PlanReport): { readonly kinds: readonly Line[]; readonly total: Line } {
  const kinds = kindsIn(summary).map((kind): Line => {
    const sum = summary.kinds[kind];
    const requests = sum.rows * ROW_KINDS[kind].steps.length;
    return { kind, ...sum, requests, estimated: isEstimated(kind, summary, plan.settings) };
  });
  const add = (value: (line: Line) => number): number => kinds.reduce((all, line) => all + value(line), 0);
  const total: Line = {
    kind: 'total',
    rows: add((line) => line.rows),
    requests: add((line) => line.requests),
    quoted: summary.quoted,
    unpriced: summary.unpriced,
    assumed: add((line) => line.assumed),
    estimated: kinds.some((line) => line.estimated),
  };
  return { kinds, total };
}

function kindsIn({ kinds }: ManifestSummary): readonly Kind[] {
  return KINDS.filter((kind) => kinds[kind].rows > 0);
}

/** The prices that count for this manifest. */
function pricesOf({ settings }: RunPlan, summary: ManifestSummary): ReadonlyMap<Operation, Price> {
  const operations = kindsIn(summary).flatMap((kind) =>
    ROW_KINDS[kind].steps.map((step) => operationOf(kind, step, settings.tts)),
  );
  return new Map(operations.map((operation) => [operation, settings.prices[operation]]));
}

/** `speech-job 0.5 credits per character, a CJK character counting as 2 (estimate)` */
function priceInWords(operation: Operation, { unit, credits, cjkFactor, estimate }: Price): string {
  const per = { character: 'per character', second: 'per started second', job: 'per request' }[unit];
  const cjk = cjkFactor === undefined || cjkFactor === 1 ? '' : `, a CJK character counting as ${String(cjkFactor)}`;
  return `${operation} ${String(credits)} ${credits === 1 ? 'credit' : 'credits'} ${per}${cjk}${estimate ? ' (estimate)' : ''}`;
}

function creditsOf({ quoted, estimated, rows, unpriced }: Line): string {
  if (rows > 0 && rows === unpriced) return 'unknown';
  return `${estimated ? '~' : ''}${number(quoted)}${unpriced > 0 ? ' + unknown' : ''}`;
}

function balanceLine({ balance, summary }: PlanReport): string {
  if ('why' in balance) return `Balance: not known (${balance.why})`;
  const left = round(balance.credits - summary.quoted);
  const then = summary.unpriced > 0 ? 'less what has no price' : 'once the bill is paid';
  return `Balance: ${number(balance.credits)} API credits; ${number(left)} ${then}`;
}

function diskLine({ summary, disk }: PlanReport): string {
  const { bytes, unknown } = summary.disk;
  const free = disk.free === null ? 'what is free is not known' : `${size(disk.free)} free`;
  const without = unknown > 0 ? `, without ${number(unknown)} rows of unknown length` : '';
  const tooMuch = disk.free !== null && bytes > disk.free ? ' WARNING: that is more than is free.' : '';
  return `Disk: results of about ${size(bytes)}${without} (a rough estimate); ${free} at ${disk.store}.${tooMuch}`;
}

/** Bytes as people write them: `640 KB`, `1.2 GB`. */
function size(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${number(bytes / 1_000 ** step)} ${units[step] ?? ''}`;
}

function round(credits: number): number {
  return Math.round(credits * 1e6) / 1e6;
}
