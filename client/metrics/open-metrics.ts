import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { MetricsTarget } from '../../contract/metrics-target.ts';
import type { Observe } from '../../contract/work-events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { collectForPrometheus, exportToCollector } from '../../worker/metrics/collect.ts';
import { countEvents } from '../../worker/metrics/count-events.ts';
import { familiesOf, prometheusText, type Family } from './families.ts';
import { readiness, type ReadinessNeeds } from './readiness.ts';
import { serveMetrics } from './serve-metrics.ts';
import type { MetricMeter } from '@temporalio/common';
import { voxbatchVersion } from '../version.ts';

export interface MetricsNeeds extends ReadinessNeeds {
  readonly ledger: ReadinessNeeds['ledger'] & Pick<Ledger, 'gauges'>;
  readonly log: Logger;
  /** Called with where they are. */
  readonly say: (line: string) => void;
}

/** The metrics of this process's worker. */
export interface Metrics {
  /**
   * Begins to count, right before the worker connects: the SDK's native part ends with its last connection, and without
   * any it would keep the process alive.
   */
  begin(): Promise<Observe>;
  /** Ends them with the worker, whose end has begun. */
  end(worked: Promise<unknown>): Promise<void>;
}

/** The ledger is read at most this often, however many scrape, ms. */
const READ_EVERY_MS = 1_000;
/** How long it may take: a scrape without it is better than none, ms. */
const PATIENCE_MS = 2_000;
/** How long the end waits for what is sent last, ms. */
const LAST_SEND_MS = 2_000;

/** Opens metrics before the worker starts. Throws {@link VoxbatchError} (`no-metrics-port`). */
export function openMetrics(place: MetricsTarget, needs: MetricsNeeds): Promise<Metrics> {
  return place.type === 'otlp' ? Promise.resolve(sentMetrics(place, needs)) : shownMetrics(place, needs);
}

async function shownMetrics(place: Place<'port'>, needs: MetricsNeeds): Promise<Metrics> {
  const problem = readiness(needs);
  const read = gaugesOf(needs, problem, READ_EVERY_MS);
  let counted = (): Promise<string> => Promise.resolve('');
  const metrics = async (): Promise<string> => {
    const [text, gauges] = await Promise.all([counted().catch(() => ''), read()]);
    return text + prometheusText(gauges);
  };
  const { url, close } = await serveMetrics(place, { metrics, problem });
  needs.say(`Metrics are at ${url}/metrics; /healthz and /readyz answer probes.`);
  return {
    begin: async () => {
      const collected = await collectForPrometheus(needs.log);
      counted = collected.read;
      return countEvents(collected.meter);
    },
    end: async (worked) => {
      await Promise.allSettled([worked]);
      await close();
    },
  };
}

function sentMetrics(place: Place<'otlp'>, needs: MetricsNeeds): Metrics {
  needs.say(`Metrics are sent to ${new URL(place.url).origin}.`);
  let pushLast: (() => Promise<void>) | undefined;
  return {
    begin: () => {
      const meter = exportToCollector(needs.log, place);
      pushLast = pushGauges(meter, gaugesOf(needs, readiness(needs), 0), place.everyMs);
      return Promise.resolve(countEvents(meter));
    },
    end: async (worked) => {
      if (pushLast === undefined) return;
      await Promise.allSettled([pushLast(), worked]);
      // The exporter sends at its own time, and nothing makes it.
      await sleep(Math.min(place.everyMs, LAST_SEND_MS));
    },
  };
}

type Place<Type> = Extract<MetricsTarget, { readonly type: Type }>;

/** What is read when somebody wants to know: of this process, and of the ledger if that answers. */
function gaugesOf(
  { ledger, standing }: MetricsNeeds,
  problem: () => Promise<string | undefined>,
  everyMs: number,
): () => Promise<readonly Family[]> {
  let last: { readonly at: number; readonly families: Promise<readonly Family[]> } | undefined;
  const ofLedger = (): Promise<readonly Family[]> => {
    if (last === undefined || performance.now() - last.at > everyMs) {
      const families = ledger.gauges().then(familiesOf, () => []);
      last = { at: Infinity, families };
      // Not asked again before it has answered.
      void families.then(() => (last = { at: performance.now(), families }));
    }
    return Promise.race([last.families, sleep(PATIENCE_MS, [], { ref: false })]);
  };
  return async () => {
    const [why, families] = await Promise.all([problem(), ofLedger()]);
    return [...workerGauges(standing(), why === undefined), ...families];
  };
}

/**
 * Sets gauges of the meter regularly, for an exporter that sends what was set. What is not read any more is 0: it would
 * be sent as it was for ever. Returns how to set them a last time and end that.
 */
function pushGauges(meter: MetricMeter, read: () => Promise<readonly Family[]>, everyMs: number): () => Promise<void> {
  const gauges = new Map<string, ReturnType<MetricMeter['createGauge']>>();
  const shown = new Map<string, () => void>();
  const push = async (): Promise<void> => {
    const gone = new Map(shown);
    for (const { name, help, samples } of await read()) {
      const gauge = gauges.get(name) ?? meter.createGauge(name, 'float', undefined, help);
      gauges.set(name, gauge);
      for (const { labels, value } of samples) {
        const series = JSON.stringify([name, labels]);
        gauge.set(value, labels);
        gone.delete(series);
        shown.set(series, () => {
          gauge.set(0, labels);
        });
      }
    }
    for (const [series, clear] of gone) {
      clear();
      shown.delete(series);
    }
  };
  let pushing = push();
  const timer = setInterval(() => {
    pushing = pushing.then(push).catch(() => undefined);
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await pushing.then(push).catch(() => undefined);
  };
}

/** What a worker says of itself. `isReady`: as `/readyz` says. */
function workerGauges(standing: ReturnType<ReadinessNeeds['standing']>, isReady: boolean): readonly Family[] {
  return [
    gauge('voxbatch_build_info', 'Always 1; the version of this worker.', 1, { version: voxbatchVersion() }),
    gauge(
      'voxbatch_ready',
      '1 if the worker runs, and its ledger and store answer, as /readyz; else 0.',
      isReady ? 1 : 0,
    ),
    gauge(
      'voxbatch_downloads_queued',
      'Results that wait in this worker for their turn to be downloaded.',
      standing?.downloadsQueued ?? 0,
    ),
  ];
}

function gauge(name: string, help: string, value: number, labels = {}): Family {
  return { name, help, samples: [{ labels, value }] };
}
