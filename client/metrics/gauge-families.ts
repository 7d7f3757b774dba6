import { OUTCOMES, ROW_STATES } from '../../contract/outcomes.ts';
import type { BatchGauges } from '../../ledger/metrics/batch-gauges.ts';

type Labels = Readonly<Record<string, string>>;

/** A metric family: a metric with all its time series. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly { readonly labels: Labels; readonly value: number }[];
}

/** Added to each metric's help. */
const SAME = 'From the ledger, so every worker shows the same: take the max, not the sum.';

/** Returns the metric families of batches, from the ledger's gauges of each. */
export function familiesOf(batches: readonly BatchGauges[]): readonly Family[] {
  const family = (
    name: string,
    help: string,
    samplesOf: (gauges: BatchGauges) => Iterable<readonly [labels: Labels, value: number]>,
  ): Family => {
    const samples = batches.flatMap((gauges) =>
      [...samplesOf(gauges)].map(([labels, value]) => ({ labels: { batch: gauges.batch, ...labels }, value })),
    );
    return { name, help: `${help} ${SAME}`, samples };
  };
  return [
    family('voxbatch_rows', 'Rows by how they ended, or what is done with them.', rowsOf),
    family('voxbatch_credits', 'Credits charged, reserved for what is under way, uncertain, and saved.', ({ money }) =>
      (['charged', 'reserved', 'uncertain', 'saved'] as const).map((kind) => [{ kind }, money[kind]]),
    ),
    family('voxbatch_budget_credits', 'The budget, of batches that have one.', ({ budget }) =>
      budget === null ? [] : [[{}, budget]],
    ),
    family(
      'voxbatch_batch_state',
      'Always 1; state: running, paused, stopping or closed; paused_by: the class of failures for which it paused by itself.',
      ({ state, pausedBy }) => [[{ state, paused_by: pausedBy ?? '' }, 1]],
    ),
    family(
      'voxbatch_oldest_open_age_seconds',
      'Age of the oldest request whose job has not ended; 0 if there is none.',
      ({ oldestOpenMs }) => [[{}, oldestOpenMs / 1_000]],
    ),
    family(
      'voxbatch_api_unanswered_seconds',
      'For how long the API has answered no call of the batch; 0 while it does.',
      ({ silentMs }) => [[{}, silentMs / 1_000]],
    ),
  ];
}

/** Rows by state, or by outcome if they have ended. */
function* rowsOf({ counts: { states, outcomes, notChosen } }: BatchGauges): Iterable<readonly [Labels, number]> {
  for (const state of ROW_STATES) yield [{ standing: state }, states[state]];
  for (const outcome of OUTCOMES)
    yield [{ standing: outcome }, outcomes[outcome] - (outcome === 'skipped' ? notChosen : 0)];
  yield [{ standing: 'not_chosen' }, notChosen];
}

/** Returns gauges in Prometheus' text format. Families without samples are left out. */
export function prometheusText(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} gauge`,
      ...samples.map(({ labels, value }) => `${name}${labelsText(labels)} ${String(value)}`),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
}
