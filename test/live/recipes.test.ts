/** @slow */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { EXIT_CODES } from '../../contract/exit-codes.ts';
import { freePort } from '../support/free-port.ts';
import { LiveWorld } from '../support/live-world.ts';

/** The recipes of docs/guide/pipelines.md, run as their schedulers run them: with their very commands and no more of an environment than they give. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CLI = join(ROOT, 'dist/starters/cli.js');
const MANIFEST = 'id,text,voice\na,Good morning.,voice-1\nb,Good night.,voice-1\n';

interface RecipeEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let world: LiveWorld;

beforeEach(async () => {
  world = await LiveWorld.open({ config: { polling: { firstLookMs: 500, gapMs: 500 } } });
  mkdirSync(world.path('bin'));
  writeFileSync(world.path('bin', 'voxbatch'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(world.path('bin', 'voxbatch'), 0o755);
  await world.write('lines.csv', MANIFEST);
  writeFileSync(world.path('api-token'), world.simulator.token, { mode: 0o600 });
});

/** A file of a recipe, for the folder and the simulator of the test. */
function recipe(file: string): string {
  return readFileSync(join(ROOT, 'deploy/recipes', file), 'utf8')
    .replaceAll('/srv/voxbatch', world.folder)
    .replaceAll('/usr/local/bin:', `${world.path('bin')}:${dirname(process.execPath)}:`)
    .replaceAll('https://HOST/api/open/v1', world.simulator.url);
}

/** What is found on this machine, not said by a recipe: the binary of Temporal's server, and where it confirms nothing of the user's own. */
function ofMachine(): NodeJS.ProcessEnv {
  const { HOME, VOXBATCH_TEMPORAL_CLI } = process.env;
  return { HOME, VOXBATCH_TEMPORAL_CLI, XDG_STATE_HOME: world.path('.state') };
}

async function execute(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<RecipeEnd> {
  const child = spawn(file, args, { cwd: world.folder, env: { ...ofMachine(), ...env }, stdio: 'pipe' });
  child.stdin.end();
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

const charges = (): number => world.simulator.ledger().length;

/** Codes whose every name says that the same command again changes nothing by itself. */
const NO_RETRY = [...new Set(Object.values(EXIT_CODES).map(({ code }) => code))].filter((code) => {
  const retries = Object.values(EXIT_CODES).flatMap((one) => (one.code === code ? [one.retry] : []));
  return code !== 0 && retries.every((retry) => retry === 'no' || retry === 'after-change');
});

describe('the recipe for cron', () => {
  /** Runs the line of the crontab as cron does: by a shell with a bare environment and what stands above the line. */
  async function tick(changed: NodeJS.ProcessEnv = {}, script = 'nightly.sh'): Promise<RecipeEnd> {
    writeFileSync(world.path(script), recipe(`cron/${script}`), { mode: 0o755 });
    const lines = recipe('cron/crontab')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const settings = lines.flatMap((line) => {
      const [, name = '', value = ''] = /^([A-Z_]+)=(.*)$/.exec(line) ?? [];
      return name === '' ? [] : [[name, value] as const];
    });
    const [, command = ''] = /^(?:\S+ ){5}(.*)$/.exec(lines.find((line) => line.includes(script)) ?? '') ?? [];
    const bare = { SHELL: '/bin/sh', LOGNAME: 'ops', PATH: '/usr/bin:/bin' };
    const env = { ...bare, ...Object.fromEntries(settings), ...changed };
    return execute('/bin/sh', ['-c', command.replaceAll(String.raw`\%`, '%')], env);
  }

  it('prints nothing while all goes well, also of the ticks that find nothing left', async () => {
    for (let times = 0; times < 2; times += 1) expect(await tick()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(charges()).toBe(2);
  });

  it('prints nothing where a later tick helps, and what happened where a person has to look', async () => {
    const away = { VOXBATCH_API_URL: `http://127.0.0.1:${String(await freePort())}/api/open/v1` };
    expect(await tick(away)).toEqual({ code: 0, stdout: '', stderr: '' });
    await world.write('lines.csv', 'id,text,voice\na,,voice-1\n');
    const { code, stdout } = await tick();
    expect({ code, stdout }).toEqual({
      code: 2,
      stdout: expect.stringMatching(/column text: expected[^]*Exit code 2:/),
    });
  });

  it('tells once of an end that a later tick does not change, and keeps what each tick said', async () => {
    await world.write('lines.csv', 'id,text,voice\na,,voice-1\n');
    expect(await tick()).toMatchObject({ code: 2, stdout: expect.stringContaining('Exit code 2:') });
    expect(await tick()).toEqual({ code: 2, stdout: '', stderr: '' });
    expect(await tick({}, 'morning.sh')).toMatchObject({ stdout: '' });
    const log = readdirSync(world.folder).filter((name) => name.endsWith('.log'));
    expect((await world.read(...log)).match(/column text: expected/g)).toHaveLength(2);
  });

  it('tells of an internal error at once, though it is tried again', async () => {
    writeFileSync(
      world.path('bin', 'voxbatch'),
      '#!/bin/sh\necho "internal error: x" >&2\necho \'{"retry":"now"}\'\nexit 1\n',
    );
    expect(await tick()).toMatchObject({ code: 1, stdout: expect.stringMatching(/internal error: x\nExit code 1:/) });
    expect(await tick()).toMatchObject({ code: 1, stdout: '' });
  });

  it('calls a person in the morning for a night that never began, and for none that is complete', async () => {
    const away = { VOXBATCH_API_URL: `http://127.0.0.1:${String(await freePort())}/api/open/v1` };
    expect(await tick(away)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await tick(away, 'morning.sh')).toMatchObject({
      code: 4,
      stdout: expect.stringMatching(/cannot be reached[^]*is not complete. Exit code 4:/),
    });
    expect(await tick()).toMatchObject({ code: 0, stdout: '' });
    expect(await tick({}, 'morning.sh')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('does nothing while an earlier tick still runs', async () => {
    const held = spawn('flock', [world.path('nightly.lock'), 'sh', '-c', 'echo held; read end'], { stdio: 'pipe' });
    await once(held.stdout, 'data');
    expect(await tick()).toEqual({ code: 1, stdout: '', stderr: '' });
    held.stdin.end('end\n');
    await once(held, 'close');
    expect(charges()).toBe(0);
  });
});

describe('the recipe for GitHub Actions', () => {
  interface Workflow {
    readonly jobs: {
      readonly batch: {
        readonly 'runs-on': readonly string[];
        readonly env: Readonly<Record<string, string>>;
        readonly steps: readonly { readonly name?: string; readonly run?: string; readonly if?: string }[];
      };
    };
  }

  /** Runs the steps that are commands in order, as a runner does: the first that fails ends all but those that always run. */
  async function runSteps(
    changed: NodeJS.ProcessEnv = {},
    only?: 'cancelled()',
  ): Promise<ReadonlyMap<string, RecipeEnd>> {
    // Nobody waits a minute between two tries here.
    const { jobs } = parse(recipe('github-actions/batch.yml').replaceAll('sleep 60', 'echo again')) as Workflow;
    const given: Readonly<Record<string, string>> = {
      '${{ vars.VOXBATCH_API_URL }}': world.simulator.url,
      '${{ secrets.VOXBATCH_API_TOKEN }}': world.simulator.token,
    };
    const ofJob = Object.entries(jobs.batch.env).map(([name, value]) => [name, given[value] ?? value]);
    const env = {
      PATH: `${world.path('bin')}:/usr/bin:/bin`,
      GITHUB_SHA: '1a2b3c4d5e6f',
      GITHUB_STEP_SUMMARY: world.path('summary.md'),
      ...(Object.fromEntries(ofJob) as NodeJS.ProcessEnv),
      ...changed,
    };
    const ends = new Map<string, RecipeEnd>();
    for (const { name = '', run, if: when } of jobs.batch.steps) {
      const hasFailed = [...ends.values()].some(({ code }) => code !== 0);
      const isDue = only === undefined ? when !== 'cancelled()' && (!hasFailed || when === 'always()') : when === only;
      if (run === undefined || !isDue) continue;
      writeFileSync(world.path('step.sh'), run);
      ends.set(name, await execute('bash', ['-e', 'step.sh'], env));
    }
    return ends;
  }

  it('runs the batch of a commit once, however often the job is run again, and shows how it ended', async () => {
    for (let times = 0; times < 2; times += 1) {
      const ends = await runSteps();
      expect([...ends].map(([name, { code, stderr }]) => [name, code === 0 ? 0 : stderr])).toEqual([
        ['Check the manifest, and show its price', 0],
        ['Run it', 0],
        ['Show the result', 0],
      ]);
    }
    expect(charges()).toBe(2);
    expect(await world.read('summary.md')).toContain('Batch "lines-1a2b3c4": finished, 2 of 2 rows done');
  });

  it('tries again what may go on, and nothing else', async () => {
    const away = `http://127.0.0.1:${String(await freePort())}/api/open/v1`;
    const waited = (await runSteps({ VOXBATCH_API_URL: away })).get('Run it');
    expect(waited).toMatchObject({ code: 4, stdout: 'again\n'.repeat(5) });
    expect((await runSteps({ VOXBATCH_API_TOKEN: 'wrong' })).get('Run it')).toMatchObject({ code: 5, stdout: '' });
  });

  it('tries an internal error once more', async () => {
    writeFileSync(
      world.path('bin', 'voxbatch'),
      '#!/bin/sh\n[ "$1" = run ] || exit 0\necho \'{"retry":"now"}\'\nexit 1\n',
    );
    expect((await runSteps()).get('Run it')).toMatchObject({ code: 1, stdout: 'again\n' });
  });

  it('leaves the batch of a job that was cancelled to nobody: the next commit pays for its own rows alone', async () => {
    await world.changeSimulator({ jobMs: [3_600_000, 3_600_000] });
    const env = { ...ofMachine(), VOXBATCH_HOME: world.path('home'), VOXBATCH_API_URL: world.simulator.url };
    const cancelled = world.start(['run', 'lines.csv', '--name', 'lines-1a2b3c4', '--rate', '0.1'], { env });
    await world.untilCharged(1);
    cancelled.child.kill('SIGINT');
    await cancelled.ended;
    await runSteps({}, 'cancelled()');
    await world.changeSimulator({ jobMs: [300, 600] });
    await world.write('lines.csv', 'id,text,voice\nc,Another.,voice-1\n');
    const before = charges();
    const next = await runSteps({ GITHUB_SHA: '2b3c4d5e6f' });
    expect(next.get('Run it')).toMatchObject({ code: 0 });
    expect(charges() - before).toBe(1);
  });

  it('runs where the ledger is', () => {
    const { jobs } = parse(recipe('github-actions/batch.yml')) as Workflow;
    expect(jobs.batch['runs-on']).toContain('self-hosted');
    expect(jobs.batch.env).toMatchObject({ VOXBATCH_HOME: world.path('home') });
  });
});

describe('the recipe for Airflow', () => {
  /** What the file says, read by Python itself. Airflow runs the command by `bash -c`, and takes the codes of `skip_on_exit_code` out. */
  const READER = `
import ast, json, sys
tree = ast.parse(sys.stdin.read())
found = {node.arg: ast.literal_eval(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg in ("bash_command", "cwd", "env")}
found["codes"] = next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "NO_RETRY")
print(json.dumps(found))`;

  interface Task {
    readonly codes: readonly number[];
    readonly bash_command: string;
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
  }

  const task = (): Task =>
    JSON.parse(
      execFileSync('python3', ['-c', READER], { input: recipe('airflow/voxbatch_nightly.py'), encoding: 'utf8' }),
    ) as Task;

  async function runTask(changed: NodeJS.ProcessEnv = {}): Promise<'done' | 'failed' | 'again'> {
    const { bash_command: command, env, codes, cwd } = task();
    expect(cwd).toBe(world.folder);
    const path = `${world.path('bin')}:/usr/bin:/bin`;
    const words = ['-c', command.replaceAll('{{ ds }}', '2026-11-28')];
    const { code } = await execute('/usr/bin/env', ['bash', ...words], { PATH: path, ...env, ...changed });
    if (code === 0) return 'done';
    return code !== null && codes.includes(code) ? 'failed' : 'again';
  }

  it('fails for good with the codes that say so, and with none of a run that may go on', async () => {
    expect(task().codes).toEqual(NO_RETRY);
    const away = `http://127.0.0.1:${String(await freePort())}/api/open/v1`;
    expect(await runTask({ VOXBATCH_API_URL: away })).toBe('again');
    expect(await runTask({ VOXBATCH_API_TOKEN_FILE: world.path('lines.csv') })).toBe('failed');
    expect(await runTask()).toBe('done');
    expect(await runTask()).toBe('done');
    expect(charges()).toBe(2);
  });
});

it('the recipe for a container runs with what the image and the file say, and goes on in the same folder', async () => {
  const { services } = parse(recipe('container/compose.yaml')) as {
    readonly services: {
      readonly batch: { readonly command: readonly string[]; readonly environment: Readonly<Record<string, string>> };
    };
  };
  const { command, environment } = services.batch;
  const inHere = Object.entries(environment).map(([name, value]) => [
    name,
    value.replace('/work', world.folder).replace('${VOXBATCH_API_URL:?}', world.simulator.url),
  ]);
  const env = { PATH: '/usr/bin:/bin', ...(Object.fromEntries(inHere) as NodeJS.ProcessEnv) };
  for (let times = 0; times < 2; times += 1) {
    const { code, stderr } = await execute(process.execPath, [CLI, ...command], env);
    expect(code === 0 ? 0 : stderr).toBe(0);
  }
  expect(charges()).toBe(2);
  expect(await world.read('out', 'lines', 'results.csv')).toContain('succeeded');
});
