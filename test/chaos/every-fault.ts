import type { Fault, FaultPoint } from '../../simulator/fault-plan.ts';
import type { FaultPlan } from '../../simulator/start-simulator.ts';
import type { DrawnFaults } from './fault-plan.ts';
import { between, seeded, type Chance } from './seeded.ts';

type Rule = NonNullable<FaultPlan['rules']>[number];
/** What is spoken or heard wrong has a command of its own: `npm run chaos -- verify`. */
type Kind = Exclude<Fault['kind'], 'speaks' | 'hears'>;

/** A fault at a point. */
interface Lie {
  readonly on: FaultPoint;
  readonly fault: Rule['fault'];
  /** After it nobody can tell whether the paid request was taken. */
  readonly isDoubtful?: true;
  readonly operation?: NonNullable<Rule['operation']>;
}

/** All points that a batch comes to; voices are deleted by a command of their own. */
const POINTS = ['create', 'read', 'list', 'download', 'profile'] as const;
const REFUSALS = [400, 401, 402, 403, 404, 409, 413, 422, 429] as const;

/** Anywhere; `isDoubtful`: on a paid request. */
function anywhere(fault: Rule['fault'], isDoubtful = false): Lie[] {
  return POINTS.map((on) => ({ on, fault, ...(isDoubtful && on === 'create' ? { isDoubtful } : {}) }));
}

function doubtful(fault: Rule['fault']): Lie {
  return { on: 'create', fault, isDoubtful: true };
}

/**
 * Every kind of fault, everywhere that it can happen. Not among them: a charge with an answer that denies it (`accepted` with
 * a status below 500, or with an error in words), which nobody could find out.
 */
const LIES: Readonly<Record<Kind, readonly Lie[]>> = {
  status: [
    ...REFUSALS.flatMap((status) => anywhere({ kind: 'status', status })),
    ...anywhere({ kind: 'status', status: 503 }),
    ...anywhere({ kind: 'status', status: 500 }, true),
    ...anywhere({ kind: 'status', status: 502, body: 'foreign' }, true),
    ...anywhere({ kind: 'status', status: 504, body: 'empty' }, true),
    doubtful({ kind: 'status', status: 503, body: 'foreign', accepted: true }),
    { on: 'create', fault: { kind: 'status', status: 429, retryAfter: 1, retryAfterAs: 'date' } },
  ],
  'accept-then-500': [doubtful('accept-then-500')],
  'soft-error': anywhere('soft-error'),
  html: [...anywhere('html', true), doubtful({ kind: 'html', accepted: true })],
  hang: [...anywhere('hang', true), doubtful({ kind: 'hang', accepted: true })],
  'reset-before': anywhere('reset-before', true),
  'reset-after': [doubtful('reset-after')],
  cut: anywhere('cut', true),
  'wrong-length': anywhere('wrong-length', true),
  'wrong-type': [
    ...(['html', 'other-media', 'silence'] as const).map((body): Lie => {
      return { ...doubtful({ kind: 'wrong-type', body }), operation: 'speech-sync' };
    }),
    ...(['html', 'json', 'other-media', 'silence'] as const).map((body): Lie => {
      return { on: 'download', fault: { kind: 'wrong-type', body } };
    }),
  ],
  'dead-link': (['read', 'download'] as const).map((on) => ({ on, fault: 'dead-link' })),
  redirect: [{ on: 'download', fault: 'redirect' }],
  late: anywhere({ kind: 'late', ms: 2_000 }),
  'job-fails': [{ on: 'create', fault: 'job-fails' }],
  'job-stuck': [{ on: 'create', fault: 'job-stuck' }],
  'link-name': [{ on: 'read', fault: 'link-name' }],
  'unknown-status': (['create', 'read'] as const).map((on) => ({ on, fault: 'unknown-status' })),
};

/** Every fault of the simulator once, in an order and at moments from a seed, among about so many paid requests. */
export function drawEveryFault(seed: number, charges: number): DrawnFaults {
  const chance = seeded(seed ^ 0xfa017);
  const lies = shuffled(Object.values(LIES).flat(), chance);
  // So that each comes five times within the batches, whatever the others leave to it; results are fetched of some rows only.
  const [often, seldom] = [Math.max(1, Math.floor(charges / 25)), Math.max(1, Math.floor(charges / 5))];
  const [oftenFetched, seldomFetched] = [Math.max(1, Math.floor(charges / 60)), Math.max(1, Math.floor(charges / 20))];
  const rules = lies.map(({ on, fault, operation }): Rule => {
    // A fifth of the requests, or less, is synchronous speech; few lists and profiles are read at all.
    const every = {
      ...{ create: operation === undefined ? between(chance, often, seldom) : between(chance, 2, 9) },
      ...{ read: between(chance, often, seldom), download: between(chance, oftenFetched, seldomFetched) },
      ...{ list: 2, profile: 2, delete: 1 },
    }[on];
    return { on, fault, times: 1, match: { every }, ...(operation === undefined ? {} : { operation }) };
  });
  return { plan: { rules }, mostDoubtful: lies.filter(({ isDoubtful }) => isDoubtful).length };
}

function shuffled<T>(items: readonly T[], chance: Chance): T[] {
  return items
    .map((item) => ({ item, place: chance() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
