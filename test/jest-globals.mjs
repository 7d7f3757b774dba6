/** Where `runtime.mjs` puts what Jest has made for the test file that runs. */
export const GLOBALS = Symbol.for('voxbatch.jest-globals');

/** What `@jest/globals` is to modules that several test files share: each name leads to what it is for the file that runs. */
function ofThisFile(name) {
  return new Proxy(() => undefined, {
    apply: (_, self, args) => globalThis[GLOBALS][name](...args),
    get: (_, key) => globalThis[GLOBALS][name][key],
  });
}

export const afterAll = ofThisFile('afterAll');
export const afterEach = ofThisFile('afterEach');
export const beforeAll = ofThisFile('beforeAll');
export const beforeEach = ofThisFile('beforeEach');
export const describe = ofThisFile('describe');
export const expect = ofThisFile('expect');
export const it = ofThisFile('it');
export const jest = ofThisFile('jest');
export const test = ofThisFile('test');
