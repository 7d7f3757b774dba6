#!/usr/bin/env node
/** The simulator as a process of its own; `voxbatch simulate` is the same. */
import { messageOf } from '../contract/message-of.ts';
import { OptionError, parseSimulatorArguments } from './options.ts';
import { runSimulator } from './run-simulator.ts';

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
