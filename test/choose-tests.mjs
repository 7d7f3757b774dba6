import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { PROMISES } from './promises.mjs';
import { SLOW } from './slow-first.mjs';

/** What no built file and no test is made of. */
const BESIDE = /^(docs|bench|test|\.ci)\/|\.md$/;

const BOTH = ['unit', 'live'];
const SINCE = '--since=';

/**
 * What the arguments of `run-tests.mjs` ask for.
 *
 * @returns `chosen`: arguments for Jest; `projects` to run; `isNothing`: there is no test to run, which is no fault
 */
export function chooseTests(args) {
  const [flag, ...others] = args;
  const since = others.find((one) => one.startsWith(SINCE));
  const commit = since?.slice(SINCE.length) ?? 'main';
  const rest = others.filter((one) => one !== since);
  if (flag === undefined) return { chosen: [usualTests()], projects: BOTH, isNothing: false };
  if (flag === '--all') return { chosen: rest, projects: BOTH, isNothing: false };
  if (flag === '--quick') return byPath(['unit'], quickTests(), rest);
  if (flag === '--changed') return byPath(['unit'], relatedTests(changedFiles(commit)), rest);
  if (flag === '--changed-live') return byPath(['live'], liveTests(changedFiles(commit)), rest);
  return { chosen: args, projects: BOTH, isNothing: false };
}

/** A pattern of the paths of all unit tests, and of the live ones that show the promises. */
function usualTests() {
  const promises = Object.keys(PROMISES).join('|');
  return `--testPathPatterns=^(?!(.*/)?test/live/)|(^|/)test/live/(${promises})[.]test[.]ts$`;
}

function byPath(projects, files, rest) {
  return { chosen: [...rest, '--runTestsByPath', ...files], projects, isNothing: files.length === 0 };
}

function allTests() {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join('test', file));
}

const isLive = (file) => file.startsWith(join('test', 'live') + sep);

function quickTests() {
  return allTests().filter((file) => !isLive(file) && !readFileSync(file, 'utf8').startsWith(SLOW));
}

/** Files that are not as they were at the commit that this branch and the named one have in common; a renamed one by both its names. */
function changedFiles(commit) {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
  const [base] = git('merge-base', commit, 'HEAD');
  return [
    ...git('diff', '--name-only', '--no-renames', '--relative', base),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
}

/** Unit tests that import one of the files, or name one that cannot be imported, because it is no source or is gone. */
function relatedTests(files) {
  const sources = files.filter((file) => /[.](ts|mjs|json)$/.test(file) && existsSync(file));
  const names = files.filter((file) => !file.endsWith('.ts') || !existsSync(file)).map((file) => basename(file));
  const naming = allTests().filter((file) => {
    const text = readFileSync(file, 'utf8');
    return !isLive(file) && names.some((name) => text.includes(name));
  });
  return [...new Set([...importing('unit', sources), ...naming])];
}

/** A live test runs the built command line, which any file of the product is a part of; else those that import one of the files. */
function liveTests(files) {
  const ofTests = files.filter((file) => file.startsWith('test/') && file.endsWith('.ts') && existsSync(file));
  return files.every((file) => BESIDE.test(file)) ? importing('live', ofTests) : allTests().filter(isLive);
}

/** Tests of a project that are among the files or import one of them, also through others. */
function importing(project, files) {
  if (files.length === 0) return [];
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const args = ['--listTests', '--selectProjects', project, '--findRelatedTests', ...files];
  return execFileSync(process.execPath, [...jest, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
    .split('\n')
    .filter((line) => line.endsWith('.test.ts'))
    .map((file) => file.slice(process.cwd().length + 1));
}
