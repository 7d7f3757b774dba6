import hooks from 'node:async_hooks';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** What Jest keeps for a test file under symbols of the global object. */
const OF_A_FILE = ['EVENT_HANDLERS', 'JEST_STATE_SYMBOL', 'TEST_TIMEOUT_SYMBOL'];

/**
 * The process itself, which test files share (`runtime.mjs`). What a file has changed of it, and what Jest keeps in it for the file, ends
 * with the file.
 */
export default class Environment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null; // of the old kind
  fakeTimersModern;
  #before = {
    env: { ...process.env },
    folder: process.cwd(),
    exit: process.exit,
    console: globalThis.console,
    AsyncLocalStorage: hooks.AsyncLocalStorage,
  };
  #storages = [];

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  /**
   * Jest makes an `AsyncLocalStorage` for each file and never ends it. Before version 24, Node hands the value of each of them on to every new
   * promise, so after a hundred files a process was busy with little else.
   */
  async setup() {
    const made = this.#storages;
    setStorageClass(
      class extends this.#before.AsyncLocalStorage {
        constructor(...args) {
          super(...args);
          made.push(this);
        }
      },
    );
  }

  async teardown() {
    const { env, folder, exit, AsyncLocalStorage } = this.#before;
    setStorageClass(AsyncLocalStorage);
    for (const storage of this.#storages) storage.disable();
    this.fakeTimersModern.dispose();
    globalThis.console = this.#before.console;
    process.exit = exit;
    if (process.cwd() !== folder) process.chdir(folder);
    for (const name of Object.keys(process.env)) if (!(name in env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, env);
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (OF_A_FILE.includes(symbol.description)) Reflect.deleteProperty(globalThis, symbol);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** There is none: it is asked for where coverage is wanted. */
  getVmContext() {
    return null;
  }
}

/** Newer versions of Node make the property when it is read first, and let nobody simply set it. */
function setStorageClass(value) {
  Object.defineProperty(hooks, 'AsyncLocalStorage', { value, configurable: true, enumerable: true, writable: true });
}
