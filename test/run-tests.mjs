/**
 * Runs tests: those of the unit project, and among them those of the live project, which have a folder, a server and a simulator each.
 * Without arguments, all unit tests and the live tests of the promises (`promises.mjs`). Arguments are passed on to Jest
 * (`npm test -- test/api`), but for the first where it says which tests:
 *
 * - `--all`: all of both.
 * - `--quick`: the unit tests but those whose file is marked as slow (`slow-first.mjs`).
 * - `--changed`: the unit tests of what was changed since the branch left `main`, or `--since=COMMIT`; `--changed-live`: the live ones.
 *
 * A test that leaves something behind fails the run: an open handle, a process, a file in the temporary folder. A
 * skipped test does too, unless arguments chose which to run, or time was up (`start-until.mjs`). At the end come the files that took longest; the last line counts:
 * `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { chooseTests } from './choose-tests.mjs';
import { placeForFiles } from './place-for-files.mjs';
import { isTooLate, liveName } from './start-until.mjs';

const CORES = availableParallelism();
const args = process.argv.slice(2);
/**
 * Half of the time of a unit test, and two thirds of that of a live one, is waiting. But each process loads all that is tested, which a minute of
 * quick tests feels; and a live test needs up to a gigabyte.
 */
const FILES_AT_ONCE = Math.min(10, Math.ceil((args[0] === '--quick' ? 2 : 2.5) * CORES));
const JEST = join(process.cwd(), 'node_modules/jest/bin/jest.js');
const OPEN_HANDLE = /Jest did not exit|worker process has failed to exit gracefully/;
/** So many of the files that took longest are named at the end. */
const SLOWEST = 10;
/** So much of what a failed test said is told at the end, characters. */
const SHOWN = 300;
/** Jest may take this long to end when its tests have, in ms: a busy machine needs a while. One that leaks never ends. */
const EXIT_MS = 30_000;
/** A process that was told to end may take this long, in ms. */
const GRACE_MS = 30_000;

const { chosen, projects, isNothing } = chooseTests(args);
const results = mkdtempSync(join(tmpdir(), 'vb-results-'));
// Whatever tests write, and whatever process they start, names this folder; so does nobody else.
const temporary = realpathSync(mkdtempSync(join(placeForFiles(), 'vb-')));
let passed = 0;
let failed = 0;

// Jest ends on these by itself; this process outlives it to tidy up.
process.on('SIGINT', () => undefined);

if (!isNothing) {
  const output = join(results, 'results.json');
  const leaks = await runJest([
    ...['--selectProjects', ...projects, `--maxWorkers=${FILES_AT_ONCE}`, '--passWithNoTests'],
    ...['--json', `--outputFile=${output}`, `--openHandlesTimeout=${EXIT_MS}`, ...chosen],
  ]);
  count(output, leaks);
}
for (const line of [...(await findProcesses()), ...findFiles()]) fail(line);
rmSync(temporary, { recursive: true, force: true });
rmSync(results, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || (passed === 0 && !isNothing) ? 1 : 0;
function fail(line) {
  failed += 1;
  console.error(`FAILED: ${line}`);
}

/** Runs Jest; returns whether a test left a handle open, in which case Jest would never end. */
function runJest(args) {
  return new Promise((resolve, reject) => {
    let leaks = false;
    const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', JEST];
    // From version 22, Node keeps compiled code in the temporary folder for programs that ask it to, as TypeScript does.
    // What tests confirm is none of the user's own.
    const state = { XDG_STATE_HOME: join(results, 'state') };
    const env = { ...process.env, ...state, TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: '1' };
    const child = spawn(process.execPath, [...flags, ...args], { env, stdio: ['ignore', 'inherit', 'pipe'] });
    child.on('error', reject);
    child.on('close', () => {
      resolve(leaks);
    });
    child.stderr.on('data', (chunk) => {
      process.stderr.write(chunk);
      if (!OPEN_HANDLE.test(chunk.toString('utf8'))) return;
      leaks = true;
      // A worker is ended by Jest itself; Jest by nobody.
      if (chunk.includes('Jest did not exit')) child.kill('SIGKILL');
    });
  });
}

function count(output, leaks) {
  if (existsSync(output)) {
    const result = JSON.parse(readFileSync(output, 'utf8'));
    passed += result.numPassedTests;
    failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
    nameSlowest(result.testResults);
    nameFailed(result.testResults);
    const leftOut = result.testResults.filter(isLeftOut);
    nameLeftOut(leftOut);
    const isOfThem = leftOut.reduce((sum, { assertionResults }) => sum + assertionResults.length, 0);
    const skipped = result.numPendingTests - isOfThem + result.numTodoTests;
    if (skipped > 0 && (args.length === 0 || args.at(-1) === '--all')) fail(`${skipped} tests were skipped`);
  } else {
    fail('the tests ended without a result');
  }
  if (leaks) fail('a test left a handle open; run Jest with --detectOpenHandles to find it');
}

/** Whether a file was not started, because it was too late. */
function isLeftOut({ name, assertionResults }) {
  return isTooLate(name) && assertionResults.length > 0 && assertionResults.every(({ status }) => status === 'pending');
}

function nameLeftOut(files) {
  if (files.length === 0) return;
  const names = files.map(({ name }) => liveName(name)).toSorted();
  console.log(
    `Not started, because time was up (${String(names.length)} of the files of live tests): ${names.join(', ')}`,
  );
}

/** The names of what failed, each with the beginning of why, at the end of much output. */
function nameFailed(files) {
  for (const { name, message, assertionResults } of files) {
    const tests = assertionResults.filter(({ status }) => status === 'failed');
    const said = tests.map(({ fullName, failureMessages: [why = ''] }) => [fullName, why]);
    if (tests.length === 0 && message !== '') said.push(['did not run', message]);
    for (const [what, why] of said) {
      const words = stripVTControlCharacters(why).trim().replaceAll(/\s+/g, ' ').slice(0, SHOWN);
      console.error(`FAILED: ${relative(process.cwd(), name)}: ${what}: ${words}`);
    }
  }
}

function nameSlowest(files) {
  const inOrder = files
    .map(({ name, startTime, endTime }) => ({
      name: relative(process.cwd(), name),
      seconds: (endTime - startTime) / 1000,
    }))
    .sort((a, b) => b.seconds - a.seconds);
  if (inOrder.length <= SLOWEST) return;
  console.log('The slowest files, in seconds:');
  for (const { name, seconds } of inOrder.slice(0, SLOWEST)) console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`);
}

/** Ends processes that tests left behind. Knows them on Linux only, which is where CI runs. */
async function findProcesses() {
  const deadline = Date.now() + GRACE_MS;
  while (processes().length > 0 && Date.now() < deadline) await pause(100);
  return processes().map(({ pid, command }) => {
    process.kill(pid, 'SIGKILL');
    return `a test left a process behind: ${command}`;
  });
}

function processes() {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const traces = [command, readFileSync(`/proc/${name}/environ`, 'utf8'), readlinkSync(`/proc/${name}/cwd`)];
        return traces.some((text) => text.includes(temporary)) ? [{ pid: Number(name), command }] : [];
      } catch {
        return []; // it has ended, or is another user's
      }
    });
}

function findFiles() {
  return readdirSync(temporary).map((name) => `a test left ${name} in the temporary folder`);
}
