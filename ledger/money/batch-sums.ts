import type { ChargeLine, RowLine, Tx } from '../schema.ts';
import type { SumsTable } from '../tables/batches.ts';
import type { Selectable } from 'kysely';

/*
 * The cached sums of a batch in a unit of work (`database/unit-of-work.ts`). Triggers maintain the sums in the
 * database, so a group of writes that has prefetched them would have to read them again after each of its own changes.
 * Instead, the effect of a change is computed here, too, by the same rules as in `tables/kept-sums.ts`; a test compares
 * both. Only the cache is updated: no sum is ever written.
 */

type Sums = Selectable<SumsTable>;
/** What one line adds to the sums. */
type Part = Partial<Record<Exclude<keyof Sums, 'batch'>, number>>;

/** Returns what an attempt adds. */
export function sumsOfCharge(charge: ChargeLine): Part {
  const { state, file, damaged } = charge;
  const [quoted, charged] = [charge.quoted ?? 0, charge.charged ?? 0];
  const isRunning = state === 'accepted' && charge.finished_at === null;
  const isAnnounced = isRunning && file === null && charge.charged_from === 'api';
  return {
    charged,
    ...(state === 'sending' ? { sending: 1, sending_quoted: quoted } : {}),
    ...(state === 'unknown' ? { unknown: 1, unknown_quoted: quoted } : {}),
    ...(state === 'cached' ? { saved: quoted } : {}),
    ...(isRunning ? { running: 1 } : {}),
    ...((state === 'accepted' || state === 'done') && charge.charged_from !== 'api' ? { by_quote: 1 } : {}),
    ...(isAnnounced ? { unbilled: Math.max(0, quoted - charged) } : {}),
    damaged,
  };
}

/** Returns what a row adds: its reserved budget. */
export function sumsOfRow({ outcome, promised }: Pick<RowLine, 'outcome' | 'promised'>): Part {
  return outcome === null ? { promised } : {};
}

/**
 * Makes a change of one line, and updates the cached sums of its batch. `partsOf`: returns what the line adds before
 * and after the change; only called in a unit of work.
 */
export async function withSums(
  { unit }: Tx,
  batch: string,
  partsOf: () => readonly [before: Part, after: Part],
  change: () => Promise<void>,
): Promise<void> {
  if (unit === undefined) return change();
  const known = unit.known(`sums:${batch}`);
  await change();
  const [before, after] = partsOf();
  unit.keep(`sums:${batch}`, known, (lines) => lines.map((line) => shifted(line as Sums, before, after)));
}

function shifted(sums: Sums, before: Part, after: Part): Sums {
  const changed = Object.entries(sums).map(([name, value]) => {
    if (typeof value !== 'number') return [name, value];
    const by = (after[name as keyof Part] ?? 0) - (before[name as keyof Part] ?? 0);
    return [name, roundedSum(value + by)];
  });
  return Object.fromEntries(changed) as Sums;
}

/** Rounds to six decimals, as many as credits have, as the triggers do: a half to the even number. */
export function roundedSum(sum: number): number {
  const millionths = sum * 1e6;
  const near = Math.round(millionths);
  const isUneven = near - millionths === 0.5 && near % 2 !== 0;
  // `+ 0` turns -0 into 0.
  return (isUneven ? near - 1 : near) / 1e6 + 0;
}
