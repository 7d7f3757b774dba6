type End = () => unknown;

const ends: Readonly<Record<'test' | 'file', End[]>> = { test: [], file: [] };
let now: keyof typeof ends = 'file';

/** Ends what a helper has opened, the last first: after the test that runs now, or, where none does (`beforeAll`), after the last of the file. */
export function endAfterTest(end: End): void {
  ends[now].push(end);
}

/** Called before each test. */
export function beginTest(): void {
  now = 'test';
}

/** Called after each test, and after the last one of a file. */
export async function endAll(of: keyof typeof ends): Promise<void> {
  now = 'file';
  for (const end of ends[of].splice(0).reverse()) await end();
}
