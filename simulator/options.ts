import { messageOf } from '../contract/message-of.ts';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { SIMULATOR_FLAGS } from './flags.ts';
import { parseFaultPlan, type FaultPlan } from './fault-plan.ts';
import type { SimulatorOptions } from './settings.ts';
import { parseShape } from './shapes.ts';
import { VOICE_RULES } from './voices.ts';
import { WEBHOOK_MODES } from './webhook-modes.ts';

type FlagName = (typeof SIMULATOR_FLAGS)[number]['name'];

/** An unknown flag, or one with an invalid value. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

/**
 * Parses the command line of the simulator, and its token from the environment (`VOXBATCH_API_TOKEN`). Throws an {@link
 * OptionError} that names the flag, what was expected and what it found.
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
      case 'voices':
        options.voices = wordOf(name, value, VOICE_RULES);
        break;
      case 'text-limit':
        options.textLimit = numberOf(name, value, 1, 1e9);
        break;
      case 'train-ms':
        options.trainMs = rangeOf(name, value);
        break;
      case 'voice-count':
        options.voiceCount = numberOf(name, value, 0, 1e6);
        break;
      case 'voice-churn':
        options.voiceChurn = numberOf(name, value, 0, 1e6);
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
        options.jobDistribution = wordOf(name, value, ['uniform', 'lognormal']);
        break;
      case 'fetch-media':
        options.fetchMedia = wordOf(name, value, ['yes', 'no']) === 'yes';
        break;
      case 'link-life-ms':
        options.linkLifeMs = numberOf(name, value, 0, 1e12);
        break;
      case 'webhooks':
        options.webhooks = wordOf(name, value, WEBHOOK_MODES);
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
    throw new OptionError(`${messageOf(error)} (flags: ${flags})`);
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
    throw new OptionError(`--plan ${file}: ${messageOf(error)}`);
  }
}

function shapeOf(value: string): string {
  try {
    parseShape(value);
  } catch (error) {
    throw new OptionError(`--${messageOf(error)}`);
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

function wordOf<Word extends string>(name: FlagName, value: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new OptionError(`--${name}: expected ${words.join(' or ')}; got ${JSON.stringify(value)}`);
}
