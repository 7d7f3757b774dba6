import { randomBytes } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findServer } from '../../embedded/find-server.ts';
import type { SimulatorOptions } from '../../simulator/start-simulator.ts';
import { atExit } from './at-exit.ts';
import type { Finding } from './finding.ts';
import type { ChaosOptions } from './options.ts';
import { killAllIn, killIn } from './processes-in.ts';
import { SimulatorJudge } from './simulator-judge.ts';

/** Where a command runs with an embedded server, against a simulator. */
export interface ChaosFolder {
  readonly folder: string;
  readonly judge: SimulatorJudge;
  readonly env: NodeJS.ProcessEnv;
}

/** A command under attack. */
export interface FolderRequest {
  readonly options: Pick<ChaosOptions, 'keep' | 'seed'>;
  readonly say: (line: string) => void;
  readonly simulation: Omit<SimulatorOptions, 'seed' | 'token'>;
}

/**
 * Runs a scenario in a folder and against a simulator of its own. Then every process in the folder is killed. The folder is
 * kept if a promise is broken.
 */
export async function inFolder(
  { options, say, simulation }: FolderRequest,
  scenario: (place: ChaosFolder) => Promise<Finding[]>,
): Promise<Finding[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'voxbatch-chaos-')));
  atExit(() => {
    killIn(folder);
  });
  const token = `chaos-${randomBytes(12).toString('hex')}`;
  const judge = await SimulatorJudge.start(
    { seed: options.seed, token, ...simulation },
    (port) => `http://127.0.0.1:${port}`,
  );
  let isWhole = false;
  try {
    const server = await findServer({ env: process.env, say });
    const env = {
      ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], VOXBATCH_TEMPORAL_CLI: server.path },
      XDG_STATE_HOME: join(folder, '.state'),
      ...{ VOXBATCH_API_URL: judge.url, VOXBATCH_API_TOKEN: token },
    };
    const findings = await scenario({ folder, judge, env });
    isWhole = findings.every(({ broken }) => broken.length === 0);
    return findings;
  } finally {
    await killAllIn(folder);
    await judge.close();
    if (isWhole && !options.keep) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    else say(`The folder is kept: ${folder}`);
  }
}
