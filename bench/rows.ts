import { between, type Chance, seeded } from '../test/chaos/seeded.ts';
import type { FaultPlan } from '../simulator/start-simulator.ts';

/** A row of the benchmark: a line to be spoken. */
export interface Row {
  readonly id: string;
  /** Unique per row: the simulator recognises the row by its text. */
  readonly text: string;
}

/** Returns the rows that every contestant gets. */
export function makeRows(count: number): Row[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `r${index + 1}`,
    text: `This is line number ${index + 1} of a long night.`,
  }));
}

/** How the first request for a row fails, and for which share of the rows. The job is created and charged each time. */
const FAULTS = {
  /** The answer is a 500. */
  'accept-then-500': { share: 0.02, fault: 'accept-then-500' },
  /** The connection is reset before the answer. */
  'lost answer': { share: 0.02, fault: 'reset-after' },
  /** The answer comes after 15 s. */
  'late answer': { share: 0.01, fault: { kind: 'late', ms: 15_000 } },
} as const;

/** Plans faults for the first requests of some rows. The seed decides which, the same for all contestants. */
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

/** Removes this many random rows, and returns them. */
function take(rows: Row[], count: number, chance: Chance): Row[] {
  return Array.from({ length: Math.min(count, rows.length) }, () =>
    rows.splice(between(chance, 0, rows.length - 1), 1),
  ).flat();
}
