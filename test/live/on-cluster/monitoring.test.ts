/** @slow */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { startPrometheus, type PrometheusSeries } from '../../prometheus.mjs';
import { openCluster } from '../../support/cluster.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { freePort } from '../../support/free-port.ts';
import { scrape } from '../../support/scrape.ts';
import { waitFor } from '../../support/wait-for.ts';

const ROWS = 24;
const placeOf = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const ALERTS = placeOf('deploy/monitoring/alerts.yaml');

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

/** The expressions of the dashboard, as Grafana asks them of a batch. */
function expressionsFor(batch: string): readonly { readonly title: string; readonly expression: string }[] {
  const { panels } = JSON.parse(readFileSync(placeOf('deploy/monitoring/dashboard.json'), 'utf8')) as Dashboard;
  return panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({
      title,
      expression: expr.replaceAll('$batch', batch).replaceAll('$__rate_interval', '30s'),
    })),
  );
}

/** Each metric that an expression names, with the labels that it wants of it. */
function selectorsIn(expression: string): readonly { readonly name: string; readonly labels: readonly string[] }[] {
  return [...expression.matchAll(/\b((?:voxbatch|temporal)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', labels = '']) => ({
      name,
      labels: [...labels.matchAll(/\b(\w+)(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    }),
  );
}

it('the dashboard and the alerts ask a real Prometheus for what workers show, and it agrees with the ledger', async () => {
  const { world, env, workers } = await openCluster(
    {
      seed: 17,
      createMs: [5, 20],
      jobMs: [300, 1_000],
      rows: ROWS,
      kinds: ['tts', 'lip-sync'],
      plan: {
        rules: [
          { on: 'create', match: { nth: 3 }, fault: { kind: 'status', status: 429 } },
          { on: 'create', operation: 'lip-sync-job', fault: 'reset-after', times: 1 },
        ],
      },
    },
    0,
  );
  const ports = [await freePort(), await freePort()];
  const prometheus = await startPrometheus(ports, [ALERTS]);
  endAfterTest(() => prometheus.stop());
  for (const port of ports) workers.push(await world.startWorking(['worker', '--metrics-port', String(port)], { env }));
  const budget = ['--budget', '10000', '--assume-seconds', '2', '--halt', 'never'];
  const run = world.start(['run', 'lines.csv', '--window', '4', '--rate', '3', ...budget], { env });
  let said: string | undefined;
  void run.ended.then(({ stderr }) => (said = stderr));
  const query = (expression: string) => prometheus.query(expression);
  const valueOf = async (expression: string): Promise<number | undefined> => (await query(expression))[0]?.value;

  // Each panel shows something at some time of the batch; that of paused batches and others fall back to 0.
  const shown = new Map<string, readonly PrometheusSeries[]>();
  const expressions = expressionsFor('lines');
  expect(expressions.length).toBeGreaterThan(20);
  const missing = (): readonly string[] =>
    expressions
      .filter(({ expression }) => !shown.has(expression))
      .map(({ title, expression }) => `${title}: ${expression}`);
  await waitFor(async () => {
    for (const { expression } of expressions) {
      const series = await query(expression);
      if (series.length > 0) shown.set(expression, series);
    }
    if (said !== undefined && missing().length > 0)
      throw new Error(`Panels stayed empty:\n${missing().join('\n')}\n${said}`);
    return missing().length === 0;
  });
  const sums = await query('sum by (instance) (voxbatch_rows{batch="lines"})');
  expect(sums).toMatchObject([{ value: ROWS }, { value: ROWS }]);

  // What rules and panels name is there, with these labels; of the guide, every name.
  const series = [...(await scrape(ports[0] ?? 0)).keys(), ...(await scrape(ports[1] ?? 0)).keys()];
  const isThere = (name: string, labels: readonly string[]): boolean =>
    series.some((one) => one.split('{', 1)[0] === name && labels.every((label) => one.includes(`${label}="`)));
  const rules = await prometheus.rules();
  expect(rules.length).toBeGreaterThan(9);
  expect(rules.filter(({ health }) => health === 'err')).toEqual([]);
  const wanted = [...rules.map((rule) => rule.query), ...expressions.map(({ expression }) => expression)].flatMap(
    selectorsIn,
  );
  expect(wanted.filter(({ name, labels }) => !isThere(name, labels))).toEqual([]);
  const named = [
    ...readFileSync(placeOf('docs/guide/metrics.md'), 'utf8').matchAll(/^\| `(voxbatch_\w+)` \| (.*?) \|/gm),
  ];
  expect(named.length).toBeGreaterThan(12);
  const labelsOf = (cell = ''): readonly string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, label = '']) => label);
  const ofGuide = named.map(([, name = '', cell]) => ({ name, labels: labelsOf(cell) }));
  // A histogram of seconds is there as its parts.
  const isShown = ({ name, labels }: (typeof ofGuide)[number]): boolean =>
    isThere(name, labels) || (name.endsWith('_seconds') && isThere(`${name}_count`, labels));
  expect(ofGuide.filter((one) => !isShown(one))).toEqual([]);

  // A batch that pauses by itself is told, and only then.
  const paused = rules.find(({ name }) => name === 'VoxbatchBatchPausedByItself')?.query ?? '';
  expect(await query(paused)).toEqual([]);
  await world.changeSimulator({ credits: 0 });
  await waitFor(async () => (await query(paused)).length > 0);
  expect(await query(paused)).toMatchObject([{ labels: { batch: 'lines', paused_by: 'OutOfCredits' } }]);
  await world.changeSimulator({ credits: 1_000_000 });
  expect(await world.run(['resume', 'lines'], { env })).toMatchObject({ code: 0 });
  await run.ended;
  // The request whose answer was lost.
  expect(await world.run(['watch', 'lines'], { env })).toMatchObject({ code: 13 });

  const { outcomes, credits } = JSON.parse((await world.run(['status', 'lines', '--json'], { env })).stdout) as {
    readonly outcomes: Readonly<Record<string, number>>;
    readonly credits: Readonly<Record<string, number>>;
  };
  await waitFor(async () => (await valueOf('max(voxbatch_batch_state{batch="lines",state="closed"})')) === 1);
  for (const [outcome, rows] of Object.entries(outcomes))
    expect(await valueOf(`max(voxbatch_rows{batch="lines",standing="${outcome}"})`)).toBe(rows);
  for (const kind of ['charged', 'reserved', 'uncertain', 'saved'])
    expect(await valueOf(`max(voxbatch_credits{batch="lines",kind="${kind}"})`)).toBe(credits[kind]);
  await waitFor(
    async () => (await valueOf('sum(voxbatch_requests_total{verdict="accepted"})')) === world.charges().size - 1,
  );
  await Promise.all(workers.map((worker) => worker.endInOrder()));
  const silent = rules.find(({ name }) => name === 'VoxbatchNoWorker')?.query ?? '';
  await waitFor(async () => (await query(silent)).length > 0);
});
