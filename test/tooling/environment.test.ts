import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { compiledOf } from '../compiled.mjs';
import { HAS_PROMISE_HOOKS } from '../support/promise-hooks.ts';

const ENVIRONMENT = fileURLToPath(new URL('../environment.mjs', import.meta.url));

/** In a process of its own, because a test file ends with its environment. Prints what holds while a file runs, and after it. */
const PROGRAM = `
import hooks from 'node:async_hooks';
import { tmpdir } from 'node:os';
const { default: Environment } = await import('${ENVIRONMENT}');
const { runsPromiseHooks } = await import('${compiledOf('test/support/promise-hooks.ts')}');
const before = { ...hooks, cwd: process.cwd(), exit: process.exit, now: Date.now };
process.env.KEPT = 'as it was';
const environment = new Environment({ projectConfig: { fakeTimers: {} } });
await environment.setup();
const storage = new hooks.AsyncLocalStorage();
environment.fakeTimersModern.useFakeTimers();
process.chdir(tmpdir());
process.exit = () => undefined;
process.env.KEPT = 'changed';
process.env.NEW = 'made';
const during = [storage.run(1, () => storage.getStore()), runsPromiseHooks(storage)];
await environment.teardown();
const after = [
  runsPromiseHooks(storage), hooks.AsyncLocalStorage === before.AsyncLocalStorage, process.cwd() === before.cwd,
  process.exit === before.exit, Date.now === before.now, process.env.KEPT, process.env.NEW,
];
console.log(JSON.stringify({ during, after }));`;

it('the environment of a test file ends with the file: its storages, which would slow down all files after it, and what it changed of the process', () => {
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], { encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual({
    during: [1, HAS_PROMISE_HOOKS],
    after: [false, true, true, true, true, 'as it was', null],
  });
});
