import hooks from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { HAS_PROMISE_HOOKS, runsPromiseHooks } from '../support/promise-hooks.ts';

interface Environment {
  setup(): Promise<void>;
  teardown(): Promise<void>;
}

const { default: Environment } = (await import(new URL('../environment.mjs', import.meta.url).href)) as {
  readonly default: new (config: object, context: object) => Environment;
};

describe('the environment of a test file', () => {
  it('ends the storages that the file has made, which would slow down all files after it', async () => {
    const before = hooks.AsyncLocalStorage;
    const environment = new Environment({ projectConfig: { globals: {}, testEnvironmentOptions: {} } }, {});
    await environment.setup();
    const storage = new hooks.AsyncLocalStorage<number>();
    expect(storage.run(1, () => storage.getStore())).toBe(1);
    expect(runsPromiseHooks(storage)).toBe(HAS_PROMISE_HOOKS);
    await environment.teardown();
    expect(runsPromiseHooks(storage)).toBe(false);
    expect(hooks.AsyncLocalStorage).toBe(before);
  });
});
