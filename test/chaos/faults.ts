import { DIALECTS, type Dialect } from '../../contract/dialects.ts';
import { dialectsOf, KINDS, stepsIn, type Kind } from '../../contract/row-kinds.ts';
import { parseFaultPlan, type ReadyFaultPlan } from '../../simulator/fault-plan.ts';
import type { LedgerEntry } from '../../simulator/start-simulator.ts';
import { nameOfFault, type StatisticsReport } from '../../simulator/statistics.ts';
import { drawEveryFault } from './every-fault.ts';
import type { Finding } from './finding.ts';
import type { ChaosOptions } from './options.ts';
import { stormOver, type StormBatch } from './storm.ts';
import type { World } from './world.ts';

/** Share of the rows of v1 that are spoken at once; in the legacy dialect all are that are spoken. */
const SYNC_SHARE = 0.2;
/** The faults pause the batches again and again, and the events should still find them at work. */
const EVENT_S = 8;

/**
 * A storm for each dialect of the API: so many rows of every kind that it has, every fault of the simulator, and kills. Nothing may
 * be lost, nothing charged twice, and nothing asked for in the other dialect.
 */
export async function faults(options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const dialect of DIALECTS) {
    say(`dialect ${dialect}`);
    const found = await faultsIn(dialect, options, say);
    findings.push(...found.map((one) => ({ ...one, promise: `${dialect}: ${one.promise}` })));
  }
  return findings;
}

function faultsIn(dialect: Dialect, options: ChaosOptions, say: (line: string) => void): Promise<Finding[]> {
  const batches = batchesIn(dialect, options.rows);
  const charges = batches.reduce((sum, batch) => sum + batch.charges, 0);
  const drawn = drawEveryFault(options.seed, charges);
  const look = async ({ judge }: World): Promise<readonly Finding[]> => [
    allMet(parseFaultPlan(drawn.plan).rules, await judge.statistics()),
    allIn(dialect, await judge.ledger()),
  ];
  return stormOver({ batches, faults: drawn, look, eventSeconds: EVENT_S }, options, say);
}

function batchesIn(dialect: Dialect, rows: number): readonly StormBatch[] {
  const kinds = KINDS.filter((kind) => dialectsOf({ kind }).includes(dialect));
  const flags = ['--yes', '--api-dialect', dialect];
  const sync = dialect === 'v1' ? Math.floor(rows * SYNC_SHARE) : 0;
  const mixed = { name: 'mixed', rows: rows - sync, kinds, flags, charges: chargesOf(kinds) * (rows - sync) };
  if (sync === 0) return [mixed];
  return [mixed, { name: 'sync', rows: sync, kinds: ['tts'], flags: [...flags, '--tts', 'sync'], charges: sync }];
}

/** Paid requests per row of these kinds in turn. */
function chargesOf(kinds: readonly Kind[]): number {
  return kinds.reduce((sum, kind) => sum + stepsIn({ kind }).length, 0) / kinds.length;
}

/** Few lists and profiles are read, so not every fault of them comes. */
function allMet(planned: ReadyFaultPlan['rules'], { faults: acted }: StatisticsReport): Finding {
  const missing = planned
    .filter(({ on }) => on !== 'list' && on !== 'profile')
    .map(({ on, fault }) => nameOfFault(on, fault))
    .filter((name) => acted[name] === undefined);
  const seen = Object.entries(acted);
  const met = new Set(planned.map(({ on, fault }) => nameOfFault(on, fault)));
  return {
    promise: 'every fault came',
    broken: missing.map((name) => `${name} did not`),
    seen: `${seen.length} of ${met.size} kinds, ${seen.reduce((sum, [, count]) => sum + count, 0)} in all`,
  };
}

function allIn(dialect: Dialect, charges: readonly LedgerEntry[]): Finding {
  const others = charges.filter((charge) => (charge.dialect ?? 'v1') !== dialect);
  const operations = [...new Set(charges.map(({ operation }) => operation))].toSorted();
  return {
    promise: 'every paid request is made in its dialect',
    broken: others.map(({ idempotencyKey }) => `${String(idempotencyKey)} is not`),
    seen: operations.join(', '),
  };
}
