/** Compiles product and tests to what Node runs; only files that have changed since. */
export default function compile(): Promise<void>;
