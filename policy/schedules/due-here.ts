import { isDueIn, runsLeft, type FiringRecords } from './legal-firing.ts';

/**
 * Which times without an occurrence are due by the ledger, ms since 1970: the schedule was not paused here then, and had a run left. What fires at any
 * other is refused, whatever Temporal makes of it. Unlike for a firing, there is no slack for clocks: one that is legal by it has a line of its own.
 */
export function dueHere(records: FiringRecords): (at: number) => boolean {
  const { settledAt, allowed } = records;
  const hasRun = runsLeft(records) !== 0;
  return (at) => (hasRun || at <= settledAt) && allowed.some((one) => one.kind === 'due' && isDueIn(one, at));
}
