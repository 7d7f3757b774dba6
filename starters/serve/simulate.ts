import { messageOf } from '../../contract/message-of.ts';
import type { RunContext } from '../terminal/output.ts';
import { once } from 'node:events';
import type { ExitName } from '../../contract/exit-codes.ts';
import { OptionError, parseSimulatorArguments } from '../../simulator/options.ts';
import type { SimulatorOptions } from '../../simulator/settings.ts';
import { startSimulator, type Simulator } from '../../simulator/start-simulator.ts';
import { flagOf } from '../terminal/tunable-words.ts';
import { ownOperations } from '../../contract/own-operations/own-operation-rules.ts';
import { readSettings } from '../connect/settings.ts';
import { findToken } from '../connect/api-token.ts';
import { ExitError } from '../exit-error.ts';
import { ownEnvironment } from '../own-environment.ts';
import { listenForInterrupt } from '../run/interrupt.ts';

/**
 * `voxbatch simulate`: runs the simulator of the API on this machine until Ctrl-C or SIGTERM. Prints its URL first. The
 * flags are the simulator's own, and it parses them.
 */
export async function simulate(flags: Readonly<Record<string, string>>, { output }: RunContext): Promise<ExitName> {
  const interrupt = listenForInterrupt();
  try {
    const argv = Object.entries(flags).map(([name, value]) => `${flagOf(name)}=${value}`);
    // Registers the operations of the config file, so that they can be rehearsed.
    await readSettings();
    const simulator = await start({ ...(await readOptions(argv)), operations: ownOperations() });
    output.data(simulator.url);
    output.say('A simulator of the API; nothing here costs anything. In another shell:');
    output.say(`  export VOXBATCH_API_URL=${simulator.url}${tokenWords()}`);
    output.say('  voxbatch run MANIFEST');
    output.say('All accepted paid requests: /__simulator/ledger at the same origin. Ctrl-C stops it.');
    if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
    await simulator.close();
    return interrupt.exit() === 'interrupted' ? 'interrupted' : 'complete';
  } finally {
    interrupt.dispose();
  }
}

async function readOptions(argv: readonly string[]): Promise<SimulatorOptions> {
  try {
    return await parseSimulatorArguments(argv, { VOXBATCH_API_TOKEN: findToken(ownEnvironment()) });
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    throw new ExitError('usage', error.message, { cause: error });
  }
}

async function start(options: SimulatorOptions): Promise<Simulator> {
  try {
    return await startSimulator(options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== 'listen') throw error;
    throw new ExitError(
      'usage',
      `The simulator cannot listen: ${messageOf(error)}. Choose another --port, or 0 for a free one.`,
      { cause: error },
    );
  }
}

/** Returns how to set the token in another shell. The user's own token is never printed. */
function tokenWords(): string {
  return findToken(ownEnvironment()) === undefined
    ? ' VOXBATCH_API_TOKEN=simulator-token'
    : '   # and the same token as here';
}
