import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import Runtime from 'jest-runtime';
import { compiledOf } from './compiled.mjs';
import { setGlobals } from './jest-globals.mjs';

const require = createRequire(import.meta.url);

let files = 0;

/**
 * Loads modules as Node does: a process builds each of them once, however many test files it runs. Jest's own runtime builds what a file
 * imports anew for each file, which took most of the time of all unit tests (docs/decisions/tests.md).
 */
export default class NativeRuntime extends Runtime {
  #testPath;

  constructor(...args) {
    super(...args);
    this.#testPath = args[6];
  }

  /** A file that Jest loads before the test file is built anew, to do what it does for this one, too. */
  async unstable_importModule(path) {
    const url = pathToFileURL(compiledOf(path));
    if (path !== this.#testPath) url.search = files += 1;
    return import(url.href);
  }

  /** The part of Jest that keeps the tests of a file: the one module that each file has anew. */
  requireInternalModule(path) {
    Reflect.deleteProperty(require.cache, path);
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    super.setGlobalsForRuntime(globals);
    setGlobals(this.jestGlobals.cjsGlobals(this.#testPath));
  }

  /** For a `process` that is not the real one, as ours is. */
  installGetBuiltinModule() {}
}
