import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { findInFolder, formsOf } from '../support/find-secret.ts';
import { findSpoiltFiles, readBatchFiles } from './batch-files.ts';
import { checkCharges } from './check-charges.ts';
import { checkRows, checkUnknown } from './check-rows.ts';
import type { Finding } from './finding.ts';
import { readAttempts } from './ledger-view.ts';
import type { MemberEnd } from './member.ts';
import type { Doubt } from './perform.ts';
import { processesIn } from '../support/processes-in.ts';
import type { SimulatorJudge } from './simulator-judge.ts';

/** What was run, for {@link checkWorld}. */
export interface Ran {
  readonly folder: string;
  /** That folder and all others with files of what was run. */
  readonly folders: readonly string[];
  /** Address of the ledger. */
  readonly ledger: string;
  readonly batches: readonly string[];
  readonly dist: string;
  readonly judge: SimulatorJudge;
  readonly token: string;
  readonly doubts: readonly Doubt[];
  /** Requests that the API's lies can leave in doubt. */
  readonly mostDoubtful: number;
}

/** Checks every promise, after all commands have ended; by the simulator's ledger and the files. */
export async function checkWorld(ran: Ran): Promise<Finding[]> {
  const { folder, judge, doubts, mostDoubtful } = ran;
  const batches = await Promise.all(ran.batches.map((name) => readBatchFiles(folder, name)));
  const charges = await judge.ledger();
  const spoilt = (await Promise.all(batches.map(findSpoiltFiles))).flat();
  return [
    ...checkCharges(charges, batches),
    checkRows(batches),
    { promise: 'every row that succeeded has its file, with the hash of its receipt', broken: spoilt },
    ...checkUnknown(batches, await readAttempts(ran.ledger, 'all'), doubts, mostDoubtful),
    await verified(ran),
    await keptSecret(ran),
    leftNobody(folder),
  ];
}

async function verified({ folder, batches, dist }: Ran): Promise<Finding> {
  const ends = await Promise.all(
    batches.map(async (batch) => {
      const { code, output } = await runCli(dist, ['verify', join('out', batch)], folder);
      return code === 0 ? [] : [`${batch}: exit ${String(code)}: ${output.trim().slice(0, 500)}`];
    }),
  );
  return { promise: 'verify finds every count, hash and sum right', broken: ends.flat() };
}

async function keptSecret({ folders, token, judge }: Ran): Promise<Finding> {
  const searched = await Promise.all(folders.map((folder) => findInFolder(folder, formsOf(token))));
  const found = searched.flatMap((one) => one.found);
  const count = searched.reduce((sum, { files }) => sum + files.length, 0);
  const { foreignAuthorizations } = await judge.statistics();
  const strayed = foreignAuthorizations === 0 ? [] : [`it came to the media's origin ${foreignAuthorizations} times`];
  return { promise: 'the token is in no file', broken: [...found, ...strayed], seen: `${count} files` };
}

/** Nobody who was started in the folder is left. */
function leftNobody(folder: string): Finding {
  const left = processesIn(folder);
  return {
    promise: 'no process is left behind',
    broken: left.map(({ pid, command }) => `${pid}: ${command.slice(0, 200)}`),
  };
}

/** Exit codes that nothing in a run explains. */
const FAULTS: readonly number[] = [1, 2, 3, 15];
/** Said by a command that starts while Temporal, the ledger or the API is away; a service manager starts it again. */
const AWAY: readonly number[] = [4, 5];
/** A command that ran for longer than this had started, ms: it waits for whatever goes away. */
const START_MS = 60_000;

/** Nobody ended with an internal error, by a signal of its own, or because something that it needs went away. */
export function checkEnds(ends: readonly (MemberEnd & { readonly name: string })[]): Finding {
  const own = ends.filter(({ wanted }) => !wanted);
  const isFault = ({ code, ranMs }: MemberEnd): boolean =>
    code === null || FAULTS.includes(code) || (AWAY.includes(code) && ranMs > START_MS);
  const broken = own.filter(isFault).map(({ name, pid, code, signal, ranMs }) => {
    return `${name} (pid ${pid}) ended with ${signal ?? `exit ${String(code)}`} after ${Math.round(ranMs / 1_000)} s`;
  });
  const seen = own.map(({ name, code }) => `${name}: ${String(code)}`).join(', ');
  const promise = 'no command ends with an internal error, or because something went away while it was at work';
  return { promise, broken, seen: seen === '' ? 'none ended early' : seen };
}

/** Runs a command of the compiled voxbatch to its end, without any API. */
export function runCli(
  dist: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    const path = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env };
    const child = execFile(
      process.execPath,
      [join(dist, 'starters', 'cli.js'), ...args],
      { cwd, env: path },
      (_, out, err) => {
        resolve({ code: child.exitCode, output: out + err });
      },
    );
  });
}
