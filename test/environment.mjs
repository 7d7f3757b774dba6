import hooks from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

const { AsyncLocalStorage } = hooks;

/**
 * Ends every `AsyncLocalStorage` that a test file has made. Jest makes one for each file and never ends it. Before version 24, Node hands the value of
 * each of them on to every new promise, so after a hundred files a worker was busy with little else.
 */
export default class Environment extends TestEnvironment {
  #made = [];

  async setup() {
    await super.setup();
    const made = this.#made;
    hooks.AsyncLocalStorage = class extends AsyncLocalStorage {
      constructor(...args) {
        super(...args);
        made.push(this);
      }
    };
  }

  async teardown() {
    hooks.AsyncLocalStorage = AsyncLocalStorage;
    for (const storage of this.#made) storage.disable();
    await super.teardown();
  }
}
