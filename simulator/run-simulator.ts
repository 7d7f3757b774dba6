import { once } from 'node:events';
import type { SimulatorOptions } from './settings.ts';
import { startSimulator } from './start-simulator.ts';

/**
 * Runs a simulator until SIGINT or SIGTERM. The first line on stdout is its URL; the addresses of results, samples and
 * records go to stderr.
 */
export async function runSimulator(options: SimulatorOptions): Promise<void> {
  // Install the signal handlers first, because a signal may arrive as soon as the URL is printed.
  const stop = new AbortController();
  const ended = Promise.race([
    once(process, 'SIGINT', { signal: stop.signal }),
    once(process, 'SIGTERM', { signal: stop.signal }),
  ]);
  ended.catch(() => undefined);
  try {
    const simulator = await startSimulator(options);
    process.stdout.write(`${simulator.url}\n`);
    const origin = new URL(simulator.url).origin;
    process.stderr.write(`media and samples: ${simulator.mediaUrl}/samples/voice-1.mp3 …/samples/face.mp4\n`);
    process.stderr.write(`charges: ${origin}/__simulator/ledger   counts: ${origin}/__simulator/stats\n`);
    await ended;
    await simulator.close();
  } finally {
    stop.abort();
  }
}
