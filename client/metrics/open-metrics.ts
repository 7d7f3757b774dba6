import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { MetricsTarget } from '../../contract/metrics-target.ts';
import type { Observe } from '../../contract/work-events.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { startPrometheusExporter, startOtlpExporter } from '../../worker/metrics/exporters.ts';
import { countEvents } from '../../worker/metrics/count-events.ts';
import { familiesOf, prometheusText, type Family } from './gauge-families.ts';
import { readiness, type ReadinessNeeds } from './readiness.ts';
import { serveMetrics } from './serve-metrics.ts';
import type { MetricMeter } from '@temporalio/common';
import { voxbatchVersion } from '../version.ts';

/** What {@link openMetrics} reads and reports to. */
export interface MetricsSources extends ReadinessNeeds {
  readonly ledger: ReadinessNeeds['ledger'] & Pick<Ledger, 'gauges'>;
  readonly log: Logger;
  /** Called with a message that says where the metrics are. */
  readonly say: (line: string) => void;
}

/** The metrics of this process's worker. */
export interface Metrics {
  /**
   * Starts to count the worker's events, which the caller passes to the returned function. Call it right before the
   * worker connects: the SDK's native runtime ends with its last connection, and without any it would keep the process
   * alive.
   */
  begin(): Promise<Observe>;
  /** Sends or serves the last values and closes, once the worker has ended. */
  end(worked: Promise<unknown>): Promise<void>;
}

/** Shortest interval between two reads of the ledger, however often metrics are scraped, ms. */
const READ_EVERY_MS = 1_000;
/** Timeout of a read of the ledger, ms: a scrape without its metrics is better than none. */
const READ_TIMEOUT_MS = 2_000;
/** Max wait in the end for the exporter's last send, ms. */
const LAST_SEND_MS = 2_000;

/** Opens metrics before the worker starts. Throws {@link VoxbatchError} (`no-metrics-port`). */
export function openMetrics(target: MetricsTarget, needs: MetricsSources): Promise<Metrics> {
  return target.type === 'otlp' ? Promise.resolve(sendToCollector(target, needs)) : serveForScraping(target, needs);
}

/** Serves metrics on a port. */
async function serveForScraping(target: Target<'port'>, needs: MetricsSources): Promise<Metrics> {
  const problem = readiness(needs);
  const read = gaugesOf(needs, problem, READ_EVERY_MS);
  let readCounted = (): Promise<string> => Promise.resolve('');
  const metrics = async (): Promise<string> => {
    const [text, gauges] = await Promise.all([readCounted().catch(() => ''), read()]);
    return text + prometheusText(gauges);
  };
  const { url, close } = await serveMetrics(target, { metrics, problem });
  needs.say(`Metrics are at ${url}/metrics; /healthz and /readyz answer probes.`);
  return {
    begin: async () => {
      const exporter = await startPrometheusExporter(needs.log);
      readCounted = exporter.read;
      return countEvents(exporter.meter);
    },
    end: async (worked) => {
      await Promise.allSettled([worked]);
      await close();
    },
  };
}

/** Sends metrics to a collector (OTLP). */
function sendToCollector(target: Target<'otlp'>, needs: MetricsSources): Metrics {
  needs.say(`Metrics are sent to ${new URL(target.url).origin}.`);
  let pushLast: (() => Promise<void>) | undefined;
  return {
    begin: () => {
      const meter = startOtlpExporter(needs.log, target);
      pushLast = pushGauges(meter, gaugesOf(needs, readiness(needs), 0), target.everyMs);
      return Promise.resolve(countEvents(meter));
    },
    end: async (worked) => {
      if (pushLast === undefined) return;
      await Promise.allSettled([pushLast(), worked]);
      // The exporter sends on its own schedule, and cannot be flushed.
      await sleep(Math.min(target.everyMs, LAST_SEND_MS));
    },
  };
}

type Target<Type> = Extract<MetricsTarget, { readonly type: Type }>;

/**
 * Returns a function that reads the gauges of this process, and those of the ledger if it answers in time.
 *
 * @param problem see {@link readiness}
 * @param everyMs shortest interval between two reads of the ledger
 */
function gaugesOf(
  { ledger, status }: MetricsSources,
  problem: () => Promise<string | undefined>,
  everyMs: number,
): () => Promise<readonly Family[]> {
  let last: { readonly at: number; readonly families: Promise<readonly Family[]> } | undefined;
  const readLedger = (): Promise<readonly Family[]> => {
    if (last === undefined || performance.now() - last.at > everyMs) {
      const families = ledger.gauges().then(familiesOf, () => []);
      last = { at: Infinity, families };
      // Until the ledger has answered, no further query is sent.
      void families.then(() => (last = { at: performance.now(), families }));
    }
    return Promise.race([last.families, sleep(READ_TIMEOUT_MS, [], { ref: false })]);
  };
  return async () => {
    const [why, families] = await Promise.all([problem(), readLedger()]);
    return [...workerGauges(status(), why === undefined), ...families];
  };
}

/**
 * Sets the meter's gauges periodically, for an exporter that sends their last values. A time series that is no longer
 * read is set to 0, because its last value would be sent forever. Returns a function that sets them a last time and
 * stops.
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

/** Returns the gauges of this process's worker. `isReady`: as in `/readyz`. */
function workerGauges(status: ReturnType<ReadinessNeeds['status']>, isReady: boolean): readonly Family[] {
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
      status?.downloadsQueued ?? 0,
    ),
  ];
}

function gauge(name: string, help: string, value: number, labels = {}): Family {
  return { name, help, samples: [{ labels, value }] };
}
