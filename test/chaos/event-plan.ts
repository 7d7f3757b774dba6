import { FAULT_POINTS, type FaultPoint } from '../../activities/fault-points.ts';
import { between, pick, pickWeighted, seeded, type Chance } from './seeded.ts';
import type { CutMoment } from '../support/commit-line.ts';
import type { Toxic } from './toxiproxy.ts';
import type { Link } from './world.ts';
import type { LedgerKind } from './world-ledger.ts';
import type { StoreKind } from './world-store.ts';

/** Which worker: 0 or 1. */
export type Which = 0 | 1;

/** A moment of a paid request or download of a worker at which it is struck: the `nth` from when the event comes. */
export interface At {
  readonly moment: FaultPoint;
  readonly nth: number;
}

/**
 * Something that a run does to its processes and links.
 *
 * `kill-*`: SIGKILL, and a start `downMs` later. `stop-worker`: SIGSTOP, and SIGCONT `stillMs` later. `spoil`: a fault
 * on a link for `lastsMs`. `cut-commits`: the connections of the next `count` commits are cut. Without `at` a worker is
 * struck at once.
 */
export type Deed =
  | { readonly do: 'kill-worker'; readonly worker: Which; readonly at?: At; readonly downMs: number }
  | { readonly do: 'kill-both'; readonly downMs: number }
  | { readonly do: 'kill-run'; readonly batch: number; readonly downMs: number }
  | { readonly do: `kill-${ServerName}`; readonly downMs: number }
  | { readonly do: 'stop-worker'; readonly worker: Which; readonly at?: At; readonly stillMs: number }
  | { readonly do: 'spoil'; readonly link: Link; readonly toxic: Toxic; readonly lastsMs: number }
  | { readonly do: 'cut-commits'; readonly moment: CutMoment; readonly count: number };

/** The servers of a world. */
export type ServerName = 'temporal' | 'database' | 'store';

/** What of a world its plan depends on. */
export interface PlannedWorld {
  readonly batches: number;
  readonly ledger: LedgerKind;
  readonly store: StoreKind;
  /** Names of the deeds that come; all if there are none. */
  readonly only?: readonly string[];
}

/** An event: a deed that comes when this share of all charges was made, and not before `pauseMs` after the last one. */
export interface ChaosEvent {
  readonly number: number;
  readonly after: number;
  readonly pauseMs: number;
  readonly deed: Deed;
}

/**
 * Around the time after which another has the lanes of a process that stands still: the heartbeat's time-out is 10 s,
 * and an offer that the server makes to whom stands still is lost for as long again.
 */
const SUSPENDED_MS = [15_000, 32_000] as const;
const DOWN_MS = [0, 3_000] as const;
const LASTS_MS = [1_000, 9_000] as const;
const PAUSE_MS = [500, 3_500] as const;
/** Longer than anybody only tries again. */
const SERVER_DOWN_MS = [0, 8_000] as const;
/** Up to longer than the answer to a statement may take. */
const SILENT_MS = [10_000, 75_000] as const;

type Weighted = readonly [(chance: Chance, world: PlannedWorld) => Deed, number];

/** How often each deed comes, relative to the others. */
const DEEDS: readonly Weighted[] = [
  [(chance) => ({ do: 'kill-worker', worker: which(chance), downMs: between(chance, ...DOWN_MS) }), 4],
  [(chance) => ({ do: 'kill-worker', worker: which(chance), at: at(chance), downMs: between(chance, ...DOWN_MS) }), 8],
  [(chance) => ({ do: 'kill-both', downMs: between(chance, ...DOWN_MS) }), 1.5],
  [
    (chance, { batches }) => ({
      do: 'kill-run',
      batch: between(chance, 0, batches - 1),
      downMs: between(chance, ...DOWN_MS),
    }),
    2,
  ],
  [(chance) => ({ do: 'kill-temporal', downMs: between(chance, ...DOWN_MS) }), 2.5],
  [(chance) => ({ do: 'stop-worker', worker: which(chance), stillMs: between(chance, ...SUSPENDED_MS) }), 1],
  [
    (chance) => ({
      do: 'stop-worker',
      worker: which(chance),
      at: at(chance),
      stillMs: between(chance, ...SUSPENDED_MS),
    }),
    2,
  ],
  [
    (chance, world) => ({
      do: 'spoil',
      link: pickWeighted(chance, linksIn(world)),
      toxic: toxic(chance),
      lastsMs: between(chance, ...LASTS_MS),
    }),
    9,
  ],
];

const DATABASE_DEEDS: readonly Weighted[] = [
  [(chance) => ({ do: 'kill-database', downMs: between(chance, ...SERVER_DOWN_MS) }), 4],
  [(chance) => ({ do: 'cut-commits', moment: pick(chance, ['before', 'after']), count: between(chance, 1, 8) }), 4],
  [
    (chance) => ({
      do: 'spoil',
      link: pickWeighted(chance, DATABASE_LINKS),
      toxic: of(chance, 'timeout', { timeout: 0 }),
      lastsMs: between(chance, ...SILENT_MS),
    }),
    1.5,
  ],
];

const STORE_DEEDS: readonly Weighted[] = [
  [(chance) => ({ do: 'kill-store', downMs: between(chance, ...SERVER_DOWN_MS) }), 3],
];

/** The API's link is where money is at stake. */
const LINKS: readonly (readonly [Link, number])[] = [
  ['api', 4],
  ['media', 2],
  ['worker-1', 1],
  ['worker-2', 1],
  ['cli', 1],
];
const DATABASE_LINKS: readonly (readonly [Link, number])[] = [
  ['ledger-worker-1', 1],
  ['ledger-worker-2', 1],
  ['ledger-cli', 0.5],
];
const STORE_LINKS: readonly (readonly [Link, number])[] = [['store', 2]];

function linksIn({ ledger, store }: PlannedWorld): readonly (readonly [Link, number])[] {
  return [...LINKS, ...(ledger === 'postgres' ? DATABASE_LINKS : []), ...(store === 's3' ? STORE_LINKS : [])];
}

function deedsIn({ ledger, store }: PlannedWorld): readonly Weighted[] {
  return [...DEEDS, ...(ledger === 'postgres' ? DATABASE_DEEDS : []), ...(store === 's3' ? STORE_DEEDS : [])];
}

const TOXICS: readonly (readonly [(chance: Chance) => Toxic, number])[] = [
  [() => ({ type: 'down' }), 3],
  [(chance) => of(chance, 'latency', { latency: between(chance, 200, 3_000), jitter: between(chance, 0, 200) }), 2],
  [(chance) => of(chance, 'bandwidth', { rate: between(chance, 8, 128) }), 2],
  [(chance) => of(chance, 'slow_close', { delay: between(chance, 500, 5_000) }), 1],
  [(chance) => of(chance, 'timeout', { timeout: between(chance, 0, 3_000) }), 2],
  [(chance) => of(chance, 'reset_peer', { timeout: between(chance, 0, 1_000) }), 2],
  [(chance) => of(chance, 'limit_data', { bytes: between(chance, 50, 20_000) }), 2],
];

/** Processes that a deed kills. */
export function killsOf(deed: Deed): number {
  if (deed.do === 'kill-both') return 2;
  return deed.do.startsWith('kill') ? 1 : 0;
}

/** Name of a kind of event, for the table of windows. */
export function kindOf(deed: Deed): string {
  if (deed.do === 'spoil')
    return `${deed.toxic.type} ${deed.link.replace(/^worker-\d$/, 'worker-temporal').replace(/^ledger-.*/, 'ledger')}`;
  if (deed.do === 'cut-commits') return `${deed.do} ${deed.moment}`;
  return 'at' in deed ? `${deed.do} ${deed.at.moment}` : deed.do;
}

/** True if a request that is on the wire while the fault is there, or begins then, can lose its answer. */
export function losesAnswers(deed: Deed): boolean {
  return deed.do === 'spoil' && deed.link === 'api' && !['latency', 'bandwidth'].includes(deed.toxic.type);
}

/** A plan that has no kill after so many draws gets none. */
const MAX_DRAWS = 1_000;

/**
 * The events of a seed, spread over the batches' charges, until `kills` processes are killed. The same seed gives the
 * same plan. Throws if none of the deeds of this world kills.
 */
export function planEvents(seed: number, kills: number, world: PlannedWorld): ChaosEvent[] {
  const chance = seeded(seed);
  const deeds: Deed[] = [];
  const { only = [] } = world;
  for (let killed = 0, draws = 0; killed < kills; draws++) {
    if (killed === 0 && draws > MAX_DRAWS) throw new Error(`Nothing kills here, of: ${only.join(', ')}.`);
    const deed = pickWeighted(chance, deedsIn(world))(chance, world);
    if (only.length > 0 && !only.includes(deed.do)) continue;
    deeds.push(deed);
    killed += killsOf(deed);
  }
  return deeds.map((deed, index) => ({
    number: index + 1,
    // Rows in doubt make fewer charges than planned; the last events must come all the same, before the batches end.
    after: (0.75 * (index + chance())) / deeds.length,
    pauseMs: between(chance, ...PAUSE_MS),
    deed,
  }));
}

/** An event as it is printed. */
export function tellEvent({ number, after, deed }: ChaosEvent): string {
  const { do: what, ...how } = deed;
  return `#${number} at ${(100 * after).toFixed(1)} %: ${what} ${JSON.stringify(how)}`;
}

function which(chance: Chance): Which {
  return chance() < 0.5 ? 0 : 1;
}

function at(chance: Chance): At {
  return { moment: pick(chance, FAULT_POINTS), nth: between(chance, 1, 3) };
}

function toxic(chance: Chance): Toxic {
  return pickWeighted(chance, TOXICS)(chance);
}

function of(chance: Chance, type: Exclude<Toxic['type'], 'down'>, attributes: Record<string, number>): Toxic {
  return { type, stream: chance() < 0.5 ? 'upstream' : 'downstream', attributes };
}
