import fc from 'fast-check';
import { UNKNOWN_POLICIES } from '../../../contract/outcomes.ts';
import { KINDS, STEPS, type Step } from '../../../contract/row-kinds.ts';
import { PRICE, type Rules } from './rules.ts';

/** A step of a story. Numbers are taken modulo what there is. */
export type Command =
  /** A workflow hands out what the row needs, as the book stands. */
  | { readonly type: 'hand-out'; readonly row: number }
  /** A workflow believes that a work is lost, and has it settled by another. */
  | { readonly type: 'hand-out-again'; readonly nth: number }
  /** A worker is told to send what nobody decided: by a history that is old, or not ours. */
  | {
      readonly type: 'mislead';
      readonly row: number;
      readonly step: Step;
      readonly take: number;
      readonly attempt: number;
    }
  /** A worker takes the next step of a work. */
  | { readonly type: 'step'; readonly nth: number; readonly luck: number }
  /** A worker dies with its work. */
  | { readonly type: 'kill'; readonly nth: number }
  /** A person plans a redrive of a row as it stands, */
  | { readonly type: 'choose'; readonly row: number; readonly resubmit: boolean }
  /** and asks for it, perhaps much later, perhaps twice. */
  | { readonly type: 'ask'; readonly nth: number }
  /** A person takes the unfit result of a row as it is, if it has one; the choice may be asked for again later. */
  | { readonly type: 'accept'; readonly row: number }
  /** The stored file of a row is lost, and a person asks for the row, if it had its result. */
  | { readonly type: 'lose'; readonly row: number }
  | { readonly type: 'cancel' };

const nth = fc.nat({ max: 7 });
const step = (luck: number): Command => ({ type: 'step', nth: 0, luck });

const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('hand-out' as const), row: nth }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('hand-out-again' as const), nth }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('mislead' as const),
      row: nth,
      step: fc.constantFrom(...STEPS),
      take: fc.integer({ min: 1, max: 3 }),
      attempt: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 12, arbitrary: fc.record({ type: fc.constant('step' as const), nth, luck: fc.nat({ max: 59 }) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('kill' as const), nth }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('choose' as const), row: nth, resubmit: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('ask' as const), nth }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('accept' as const), row: nth }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel' as const) }) },
);

/** How a batch is set, and what happens to it. */
export const anyStory: fc.Arbitrary<{ readonly rules: Rules; readonly commands: readonly Command[] }> = fc.record({
  rules: fc.record({
    kinds: fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 4 }),
    onUnknown: fc.constantFrom(...UNKNOWN_POLICIES),
    retakes: fc.nat({ max: 2 }),
    budget: fc.option(fc.integer({ min: 0, max: 8 * PRICE })),
  }),
  commands: fc.array(anyCommand, { minLength: 5, maxLength: 70 }),
});

const anyLoss = fc.record({ type: fc.constant('lose' as const), row: nth });

/** The same of rows whose speech is verified, and of stored files that are lost. */
export const anyVerifiedStory: typeof anyStory = fc.record({
  rules: fc.record({
    kinds: fc.array(fc.constantFrom('tts' as const, 'dub' as const), { minLength: 1, maxLength: 3 }),
    onUnknown: fc.constantFrom(...UNKNOWN_POLICIES),
    retakes: fc.nat({ max: 2 }),
    budget: fc.option(fc.integer({ min: 0, max: 12 * PRICE })),
    verified: fc.constant(true),
  }),
  commands: fc.array(fc.oneof({ weight: 10, arbitrary: anyCommand }, { weight: 1, arbitrary: anyLoss }), {
    minLength: 20,
    maxLength: 90,
  }),
});

/** Work on a row until it needs nothing more, with this luck. */
const work = (luck: number, times: number): readonly Command[] =>
  Array.from({ length: times }, () => [
    { type: 'hand-out', row: 0 } as const,
    ...[step(luck), step(luck), step(luck)],
  ]).flat();

/** The first take is found wrong, the second is worse, and a person accepts the first, whose file is lost then. */
export const VERIFIED_EXAMPLES = [
  ...fc.sample(anyVerifiedStory, { numRuns: 40, seed: 2026 }),
  {
    rules: { kinds: ['tts'], onUnknown: 'hold', retakes: 1, budget: null, verified: true } satisfies Rules,
    commands: [
      ...work(0, 2),
      ...work(40, 1),
      ...work(0, 2),
      ...work(50, 1),
      { type: 'accept', row: 0 },
      { type: 'lose', row: 0 },
    ] satisfies readonly Command[],
  },
  {
    rules: { kinds: ['dub'], onUnknown: 'hold', retakes: 0, budget: null, verified: true } satisfies Rules,
    commands: [...work(0, 6), { type: 'lose', row: 0 }, ...work(0, 2)] satisfies readonly Command[],
  },
];

/** Speech comes unfit and is accepted, of a row that ends by it and of one that goes on. Too rare to be left to chance. */
const ACCEPTED: readonly Command[] = [0, 1].flatMap((row) => [
  { type: 'hand-out', row },
  ...[step(0), step(0), step(0)],
  { type: 'hand-out', row },
  step(2),
  { type: 'accept', row },
]);

/** Stories that are about the most there is, for a check that stories get there: the same each time. */
export const EXAMPLES = [
  ...fc.sample(anyStory, { numRuns: 60, seed: 2026 }),
  {
    rules: { kinds: ['tts', 'dub'], onUnknown: 'hold', retakes: 0, budget: null } satisfies Rules,
    commands: ACCEPTED,
  },
  {
    rules: { kinds: ['dub'], onUnknown: 'hold', retakes: 0, budget: 2 } satisfies Rules,
    commands: [
      { type: 'mislead', row: 0, step: 'lip-sync', take: 1, attempt: 1 },
      { type: 'step', nth: 0, luck: 0 },
      { type: 'hand-out', row: 0 },
      { type: 'choose', row: 0, resubmit: false },
      { type: 'hand-out', row: 0 },
      { type: 'step', nth: 0, luck: 0 },
    ] satisfies readonly Command[],
  },
];
