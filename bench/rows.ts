import { between, type Chance, seeded } from '../test/chaos/seeded.ts';
import type { FaultPlan } from '../simulator/start-simulator.ts';

/** A row of the benchmark: a line to be spoken. */
export interface Row {
  readonly id: string;
  /** Unique per row: the simulator recognises the row by its text. */
  readonly text: string;
}

/** The rows that every contestant gets. */
export function makeRows(count: number): Row[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `r${index + 1}`,
    text: `This is line number ${index + 1} of a long night.`,
  }));
}

/** How the first request for a row goes wrong; the job is made and charged every time. */
const FAULTS = {
  /** The job is made, and the answer is a 500. */
  'accept-then-500': { share: 0.02, fault: 'accept-then-500' },
  /** The job is made, and the connection is reset before the answer. */
  'lost answer': { share: 0.02, fault: 'reset-after' },
  /** The job is made at once, the answer comes after 15 s. */
  'late answer': { share: 0.01, fault: { kind: 'late', ms: 15_000 } },
} as const;

/** Faults for the first request of some rows, drawn from the seed: the same rows for all contestants, in any order. */
export function planFaults(rows: readonly Row[], seed: number): FaultPlan & { readonly rules: readonly unknown[] } {
  const chance = seeded(seed);
  const left = [...rows];
  const rules = Object.values(FAULTS).flatMap(({ share, fault }) =>
    take(left, Math.round(share * rows.length), chance).map(({ text }) => ({
      on: 'create' as const,
      match: { text, nth: 1 },
      fault,
    })),
  );
  return { rules };
}

/** Removes this many rows at random. */
function take(rows: Row[], count: number, chance: Chance): Row[] {
  return Array.from({ length: Math.min(count, rows.length) }, () =>
    rows.splice(between(chance, 0, rows.length - 1), 1),
  ).flat();
}
