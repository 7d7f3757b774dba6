import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { parseFaultPlan, type FaultPlan } from './fault-plan.ts';
import type { SimulatorOptions } from './settings.ts';
import { parseShape } from './shapes.ts';

/** A flag of `voxbatch simulate`; each takes a value. */
export interface SimulatorFlag {
  readonly name: string;
  /** Name of its value in help texts. */
  readonly value: string;
  readonly description: string;
  /** Default as help texts show it. */
  readonly default: string;
}

/** All flags, for parsing, help texts and shell completion. */
export const SIMULATOR_FLAGS = [
  { name: 'port', value: 'N', description: 'Port of the API', default: 'a free one' },
  { name: 'media-port', value: 'N', description: 'Port of the results and samples', default: 'a free one' },
  { name: 'host', value: 'ADDRESS', description: 'Address to listen on', default: '127.0.0.1' },
  { name: 'plan', value: 'FILE', description: 'Fault plan (JSON)', default: 'no faults' },
  { name: 'seed', value: 'N', description: 'Seed for answer shapes, durations and faults', default: '1' },
  { name: 'shape', value: 'SHAPE', description: 'Shape of all answers', default: 'drawn by the seed' },
  { name: 'credits', value: 'N', description: 'Balance of the account in credits', default: '1000000' },
  { name: 'rate', value: 'N', description: 'Max paid requests per second', default: 'no limit' },
  { name: 'concurrency', value: 'N', description: 'Max unfinished jobs', default: 'no limit' },
  { name: 'create-ms', value: 'A-B', description: 'Latency of paid requests in ms', default: '20-60' },
  { name: 'job-ms', value: 'A-B', description: 'Duration of jobs in ms', default: '500-1500' },
  {
    name: 'job-distribution',
    value: 'NAME',
    description: 'Distribution of job durations: uniform or lognormal',
    default: 'uniform',
  },
  { name: 'link-life-ms', value: 'N', description: 'Lifetime of result links in ms', default: '60000' },
] as const satisfies readonly SimulatorFlag[];

type FlagName = (typeof SIMULATOR_FLAGS)[number]['name'];

/** A flag that is unknown or has a value that it cannot have. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

/**
 * Reads the command line of the simulator and, from the environment, its token (`VOXBATCH_API_TOKEN`).
 * Throws an {@link OptionError} that names the flag, what was expected and what came.
 */
export async function parseSimulatorArguments(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<SimulatorOptions> {
  const given = readFlags(argv);
  const token = environment['VOXBATCH_API_TOKEN'];
  const options: SimulatorOptions = token === undefined || token === '' ? {} : { token };
  for (const [name, value] of given) {
    switch (name) {
      case 'port':
        options.port = numberOf(name, value, 0, 65_535);
        break;
      case 'media-port':
        options.mediaPort = numberOf(name, value, 0, 65_535);
        break;
      case 'host':
        options.host = value;
        break;
      case 'plan':
        options.plan = await readPlan(value);
        break;
      case 'seed':
        options.seed = numberOf(name, value, 0, 2 ** 32 - 1);
        break;
      case 'shape':
        options.shape = shapeOf(value);
        break;
      case 'credits':
        options.credits = numberOf(name, value, 0, 1e12);
        break;
      case 'rate':
        options.rate = fractionOf(name, value);
        break;
      case 'concurrency':
        options.concurrency = numberOf(name, value, 1, 1e9);
        break;
      case 'create-ms':
        options.createMs = rangeOf(name, value);
        break;
      case 'job-ms':
        options.jobMs = rangeOf(name, value);
        break;
      case 'job-distribution':
        options.jobDistribution = distributionOf(name, value);
        break;
      case 'link-life-ms':
        options.linkLifeMs = numberOf(name, value, 0, 1e12);
        break;
    }
  }
  return options;
}

function readFlags(argv: readonly string[]): Map<FlagName, string> {
  const options = Object.fromEntries(SIMULATOR_FLAGS.map(({ name }) => [name, { type: 'string' as const }]));
  let values: Readonly<Record<string, unknown>>;
  try {
    ({ values } = parseArgs({ args: [...argv], options, allowPositionals: false }));
  } catch (error) {
    const flags = SIMULATOR_FLAGS.map(({ name }) => `--${name}`).join(' ');
    throw new OptionError(`${error instanceof Error ? error.message : String(error)} (flags: ${flags})`);
  }
  const given = new Map<FlagName, string>();
  for (const { name } of SIMULATOR_FLAGS) {
    const value = values[name];
    if (typeof value === 'string') given.set(name, value);
  }
  return given;
}

async function readPlan(file: string): Promise<FaultPlan> {
  try {
    const plan: unknown = JSON.parse(await readFile(file, 'utf8'));
    return parseFaultPlan(plan);
  } catch (error) {
    throw new OptionError(`--plan ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function shapeOf(value: string): string {
  try {
    parseShape(value);
  } catch (error) {
    throw new OptionError(`--${error instanceof Error ? error.message : String(error)}`);
  }
  return value;
}

function numberOf(name: FlagName, value: string, low: number, high: number): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= low && number <= high) return number;
  throw new OptionError(`--${name}: expected a whole number from ${low} to ${high}; got ${JSON.stringify(value)}`);
}

function fractionOf(name: FlagName, value: string): number {
  if (/^\d+(\.\d+)?$/.test(value) && Number(value) > 0) return Number(value);
  throw new OptionError(`--${name}: expected a number above 0; got ${JSON.stringify(value)}`);
}

function rangeOf(name: FlagName, value: string): [number, number] {
  const match = /^(\d+)(?:-(\d+))?$/.exec(value);
  const low = Number(match?.[1]);
  const high = Number(match?.[2] ?? match?.[1]);
  if (match !== null && low <= high) return [low, high];
  throw new OptionError(`--${name}: expected milliseconds like 200 or 100-300; got ${JSON.stringify(value)}`);
}

function distributionOf(name: FlagName, value: string): 'uniform' | 'lognormal' {
  if (value === 'uniform' || value === 'lognormal') return value;
  throw new OptionError(`--${name}: expected uniform or lognormal; got ${JSON.stringify(value)}`);
}
