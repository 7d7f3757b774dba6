/**
 * How often, and from which seed, property tests run. Jest loads this file before each test file.
 *
 * - `FC_RUNS`: runs of each property; default fast-check's own 100.
 * - `FC_SEED`: the seed of all properties; default a new one each time. A failure prints its seed.
 * - `FC_SHRINK=no`: ends at the first failure, without looking for a smaller one.
 */
const { FC_RUNS: runs, FC_SEED: seed, FC_SHRINK: shrink } = process.env;
/** Of fast-check itself. */
const USUAL_RUNS = 100;

// Most test files have no property, and loading fast-check takes a while.
if (runs !== undefined || seed !== undefined || shrink !== undefined) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({
    ...fc.readConfigureGlobal(),
    ...(runs === undefined ? {} : { numRuns: wholeNumber('FC_RUNS', runs) }),
    ...(seed === undefined ? {} : { seed: wholeNumber('FC_SEED', seed) }),
    endOnFailure: shrink === 'no',
  });
}

/** Runs of a property that takes longer, or less long, than most: as many more of `usual` as `FC_RUNS` asks for. */
export function scaleRuns(usual: number): number {
  if (runs === undefined) return usual;
  return Math.max(1, Math.ceil((usual * wholeNumber('FC_RUNS', runs)) / USUAL_RUNS));
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new Error(`${name}: expected a whole number; got ${JSON.stringify(text)}`);
}
