import { operationOf, KINDS, ROW_KINDS, type Kind } from '../../contract/row-kinds.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { openManifest } from '../../inputs/manifest-source.ts';
import { checkManifest, type KindSummary, type ManifestSummary } from '../../inputs/read-manifest.ts';
import { refuseProblems } from '../report-problems.ts';
import { readSettings } from '../settings.ts';
import type { Output } from '../terminal/output.ts';
import { clock, number } from '../terminal/progress.ts';
import { tableLines } from '../terminal/table.ts';
import { planRun, type RunFlags, type RunPlan } from './run-options.ts';

/** What the rows of a kind would send and cost. */
interface KindForecast extends KindSummary {
  /** Paid requests: one per step of a row. */
  readonly requests: number;
  /** True where part of the sum is from a price that is marked as an estimate. */
  readonly estimated: boolean;
}

/** A line of the table. */
type Line = KindForecast & { readonly kind: string };

/**
 * `voxbatch plan MANIFEST`: checks and prices a manifest as `run` would, and says what would be sent. It reads the file and
 * the settings and nothing else: no API, no Temporal, no ledger. Spends nothing.
 */
export async function plan(manifestPath: string, flags: RunFlags, output: Output): Promise<ExitName> {
  const runPlan = planRun(manifestPath, flags, await readSettings());
  const source = await openManifest(manifestPath);
  try {
    const summary = await checkManifest(source, runPlan.manifest);
    refuseProblems(summary, source.label, output, { json: flags.json ?? false });
    const kinds = KINDS.filter((kind) => summary.kinds[kind].rows > 0).map((kind) => forecast(kind, summary, runPlan));
    const total = addUp(kinds);
    if (flags.json === true) output.data(JSON.stringify(planJson(source.label, summary, runPlan, kinds, total)));
    else for (const line of planLines(source.label, runPlan, kinds, total)) output.data(line);
    output.say(`Nothing was sent, nothing was spent. Run it: voxbatch run ${manifestPath} (with the same flags)`);
    return 'complete';
  } finally {
    await source.close();
  }
}

function forecast(kind: Kind, summary: ManifestSummary, { settings, manifest }: RunPlan): Line {
  const { steps } = ROW_KINDS[kind];
  const prices = steps.map((step) => settings.prices[operationOf(kind, step, manifest.tts)]);
  const sum = summary.kinds[kind];
  return { kind, ...sum, requests: sum.rows * steps.length, estimated: prices.some((price) => price.estimate) };
}

function addUp(kinds: readonly Line[]): Line {
  const sum = (value: (line: Line) => number): number => kinds.reduce((all, line) => all + value(line), 0);
  return {
    kind: 'total',
    rows: sum((line) => line.rows),
    requests: sum((line) => line.requests),
    quoted: Math.round(sum((line) => line.quoted) * 1e6) / 1e6,
    unpriced: sum((line) => line.unpriced),
    estimated: kinds.some((line) => line.estimated),
  };
}

function planLines(manifest: string, { name, settings }: RunPlan, kinds: readonly Line[], total: Line): string[] {
  const lines = [
    `Batch "${name}" from ${manifest}`,
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
  ];
  if (total.estimated) lines.push('~ estimate, from public material; your own prices go into voxbatch.config.json');
  if (total.unpriced > 0)
    lines.push('Rows without a price need a duration column (seconds) to get one; they can be run without.');
  const { rate } = settings.limits;
  if (rate !== null)
    lines.push(`At ${number(rate)} paid requests a second: at least ${clock((total.requests / rate) * 1_000)}`);
  return lines;
}

function creditsOf({ quoted, estimated, rows, unpriced }: Line): string {
  if (rows > 0 && rows === unpriced) return 'unknown';
  return `${estimated ? '~' : ''}${number(quoted)}${unpriced > 0 ? ' + unknown' : ''}`;
}

function planJson(
  manifest: string,
  summary: ManifestSummary,
  { name, settings, out }: RunPlan,
  kinds: readonly Line[],
  total: Line,
): object {
  const facts = ({ rows, requests, quoted, estimated, unpriced }: Line): object => {
    return { rows, requests, credits: quoted, estimated, unpriced };
  };
  return {
    batch: name,
    manifest,
    manifest_sha256: summary.digest,
    out,
    ...facts(total),
    kinds: Object.fromEntries(kinds.map((line) => [line.kind, facts(line)])),
    limits: settings.limits,
    columns: summary.columns,
    warnings: summary.warnings,
    problems: [],
  };
}
