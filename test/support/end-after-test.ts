type End = () => Promise<void> | void;

const ends: End[] = [];

/** Ends, after the test that runs now, what a helper has opened in it; the last first. */
export function endAfterTest(end: End): void {
  ends.push(end);
}

/** Called after each test. */
export async function endAll(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}
