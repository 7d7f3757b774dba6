#!/usr/bin/env node
/** The simulator as a process of its own; `voxbatch simulate` is the same. */
import { once } from 'node:events';
import { messageOf } from '../contract/message-of.ts';
import { OptionError, parseSimulatorArguments } from './options.ts';
import type { SimulatorOptions } from './settings.ts';
import { startSimulator } from './start-simulator.ts';

try {
  await runSimulator(await parseSimulatorArguments(process.argv.slice(2), process.env));
} catch (error) {
  if (error instanceof OptionError) {
    process.stderr.write(`voxbatch simulate: ${error.message}\n`);
    process.exitCode = 2;
  } else {
    process.stderr.write(`voxbatch simulate: ${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

/**
 * Runs a simulator until SIGINT or SIGTERM. The first line on stdout is its URL; the addresses of results, samples and
 * records go to stderr.
 */
async function runSimulator(options: SimulatorOptions): Promise<void> {
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
