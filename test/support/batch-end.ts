import { expect } from '@jest/globals';
import type { LiveWorld } from './live-world.ts';

/** How a batch ended, and what it cost by the simulator's own count. */
export interface BatchEnd {
  readonly rows: number;
  readonly unknown: number;
  /** Paid requests that the simulator took. */
  readonly charges: number;
}

/**
 * Expects of a finished batch of {@link mixedManifest} that nothing is lost and nothing was paid twice: every row succeeded or is
 * `unknown`, every row that succeeded was charged once for each of its steps, and the files agree with the ledger.
 */
export async function expectWhole(world: LiveWorld, batch: string, rows: number): Promise<BatchEnd> {
  const results = await world.results(batch);
  const outcomes = [...results.values()].map((row) => String(row['_outcome']));
  const unknown = outcomes.filter((outcome) => outcome === 'unknown').length;
  const others = [...results.values()].filter((row) => !['succeeded', 'unknown'].includes(String(row['_outcome'])));
  expect({ rows: results.size, others }).toEqual({ rows, others: [] });
  const due = [...results.values()]
    .filter((row) => row['_outcome'] === 'succeeded')
    .reduce((sum, row) => sum + (row['_kind'] === 'dub' ? 2 : 1), 0);
  const charges = world.charges(batch).size;
  expect(charges).toBeGreaterThanOrEqual(due);
  // An unknown row was charged for at most all of its steps.
  expect(charges).toBeLessThanOrEqual(due + 2 * unknown);
  expect(await world.run(['verify', `out/${batch}`])).toMatchObject({ code: 0 });
  return { rows, unknown, charges };
}

/** A matcher with a type. */
export const saying = (text: string): unknown => expect.stringContaining(text);

/** Prints a figure that the test measured, with its name. */
export function report(what: string, figures: object): void {
  process.stderr.write(`${what}: ${JSON.stringify(figures)}\n`);
}
