import type { MetricMeter } from '@temporalio/common';
import type { Family } from './families.ts';

/**
 * Sets gauges of the meter regularly, for an exporter that sends what was set. What is not read any more is 0: it would be
 * sent as it was for ever. Returns how to set them a last time and end that.
 */
export function pushGauges(
  meter: MetricMeter,
  read: () => Promise<readonly Family[]>,
  everyMs: number,
): () => Promise<void> {
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
