import { randomBytes } from 'node:crypto';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findServer } from '../../embedded/find-server.ts';
import type { SimulatorOptions } from '../../simulator/start-simulator.ts';
import { atExit } from './at-exit.ts';
import { killIn } from '../support/processes-in.ts';
import { SimulatorJudge } from './simulator-judge.ts';

/** Where a command runs with an embedded server, against a simulator of its own. */
export interface ChaosFolder {
  readonly folder: string;
  readonly token: string;
  readonly judge: SimulatorJudge;
  readonly env: NodeJS.ProcessEnv;
}

/** Makes a folder; every process in it is killed when this one ends. */
export async function makeFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'voxbatch-chaos-')));
  atExit(() => {
    killIn(folder);
  });
  return folder;
}

/** Starts the simulator for what runs in a folder. */
export async function openFolder(
  folder: string,
  say: (line: string) => void,
  simulation: SimulatorOptions,
): Promise<ChaosFolder> {
  const token = `chaos-${randomBytes(12).toString('hex')}`;
  const judge = await SimulatorJudge.start({ token, ...simulation }, (port) => `http://127.0.0.1:${port}`);
  const server = await findServer({ env: process.env, say });
  const env = {
    ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], VOXBATCH_TEMPORAL_CLI: server.path },
    XDG_STATE_HOME: join(folder, '.state'),
    ...{ VOXBATCH_API_URL: judge.url, VOXBATCH_API_TOKEN: token },
  };
  return { folder, token, judge, env };
}
