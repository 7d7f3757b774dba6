import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATTEMPT_STATES, OUTCOMES, type AttemptState } from '../../../contract/outcomes.ts';
import { KINDS, stepsIn, STEPS, type Step } from '../../../contract/row-kinds.ts';
import {
  isFetchedFree,
  paidSteps,
  paysOnlyCheck,
  planRedrive,
  type RedriveAttempt,
  type RedrivePlan,
  type RedriveRow,
  type RedriveRequest,
} from '../../../policy/redrive/redrive.ts';

const JOB_FAILED = { class: 'JobFailed' } as const;
const RESULT_GONE = { class: 'ResultGone' } as const;
const UNFIT = { class: 'Unfit' } as const;

const TTS: RedriveRow = { spec: { kind: 'tts' }, outcome: 'failed', failure: JOB_FAILED, take: 1, redoFrom: null };
const DUB: RedriveRow = { ...TTS, spec: { kind: 'dub' } };
const VERIFIED: RedriveRow = { ...TTS, spec: { kind: 'tts', verify: 0.25 } };
const OVERDUE: RedriveRow = { ...TTS, outcome: 'overdue', failure: { class: 'Overdue' } };
const WISH: RedriveRequest = { step: null, resubmit: false, replace: false, accept: false, edited: null };

type More = Partial<RedriveAttempt>;
function attempt(step: Step, state: AttemptState, more: More = {}): RedriveAttempt {
  const jobId = state === 'accepted' ? `job-${step}` : null;
  return { step, take: 1, attempt: 1, state, finishedAt: null, failure: null, jobId, ...more };
}
const finished = (step: Step, more: More = {}): RedriveAttempt => attempt(step, 'accepted', { finishedAt: 1, ...more });
const jobFailed = (step: Step, take = 1): RedriveAttempt => finished(step, { take, failure: JOB_FAILED });
const running = (step: Step, more: More = {}): RedriveAttempt => attempt(step, 'accepted', more);
const gone = (step: Step, state: AttemptState = 'accepted'): RedriveAttempt =>
  attempt(step, state, { finishedAt: 1, failure: RESULT_GONE });

/** A plan in a line: `pay lip-sync redrive`. */
function words(plan: RedrivePlan): string {
  const { type, why, step, fromStep, reason, leftTake, isAgain } = plan as Record<string, string | undefined>;
  return [type, why, step, fromStep, reason, leftTake, isAgain === undefined ? undefined : 'again']
    .filter((word) => word !== undefined)
    .join(' ');
}

type Case = readonly [string, RedriveRow, readonly RedriveAttempt[], Partial<RedriveRequest>, string];
const plans = (cases: readonly Case[]): void => {
  it.each(cases)('%s', (_, row, attempts, wish, plan) => {
    expect(words(planRedrive(row, attempts, { ...WISH, ...wish }))).toBe(plan);
  });
};

describe('a row without a result', () => {
  const both = [finished('speech'), jobFailed('lip-sync')];
  const whole = [finished('speech'), finished('lip-sync')];
  const made: RedriveRow = { ...DUB, outcome: 'succeeded' };
  const later: RedriveRow = { ...DUB, take: 2, redoFrom: 'lip-sync' };

  plans([
    ['keeps the finished step of a chain', DUB, both, {}, 'pay lip-sync redrive'],
    ['keeps it in a later take', later, both, {}, 'pay lip-sync redrive'],
    ['does no step that it lacks', TTS, [], { step: 'lip-sync' }, 'refuse no-step lip-sync'],
    ['leaves out no unfinished step', DUB, [jobFailed('speech')], { step: 'lip-sync' }, 'pay speech redrive'],
    ['does a named step anew that is finished', made, whole, { step: 'lip-sync' }, 'pay lip-sync redrive'],
    ['does the first anew', made, whole, { step: 'speech' }, 'pay speech redrive'],
    ['does all anew where all is finished', DUB, whole, {}, 'pay speech redrive'],
    [
      'the same with a result that is gone',
      { ...DUB, failure: RESULT_GONE },
      whole,
      { resubmit: true },
      'pay speech redrive',
    ],
    ['does the last anew that is named', DUB, whole, { step: 'lip-sync' }, 'pay lip-sync redrive'],
  ]);

  it.each([
    ['its answer was the result', attempt('speech', 'done', { finishedAt: 1 }), 'lip-sync'],
    ['its job was done', finished('speech'), 'lip-sync'],
    ['its job runs, with a say', running('speech'), 'speech'],
    ['its job failed', jobFailed('speech'), 'speech'],
    ['it was refused', attempt('speech', 'rejected'), 'speech'],
    ['it was done in a take before', attempt('speech', 'done', { take: 0, finishedAt: 1 }), 'speech'],
  ] as const)('has finished a step well or not: %s', (_, one, fromStep) => {
    expect(planRedrive(DUB, [one], { ...WISH, resubmit: true })).toMatchObject({ type: 'pay', fromStep });
  });

  it('pays for no more than the check of a result whose check was refused', () => {
    const row: RedriveRow = { ...VERIFIED, outcome: 'unfit', failure: UNFIT };
    const refused = attempt('verification', 'rejected', { failure: { class: 'BadRequest' } });
    const foundFault = attempt('verification', 'done', { finishedAt: 1, failure: UNFIT });
    expect(paysOnlyCheck(row, [finished('speech'), refused])).toBe(true);
    expect(paysOnlyCheck(row, [finished('speech'), foundFault])).toBe(false);
  });

  it('pays for no step, whatever it asks for, where its parts are joined again', () => {
    const plan = planRedrive({ ...VERIFIED, parts: 3, failure: { class: 'NotJoined' } }, [], WISH);
    expect(plan).toEqual({ type: 'wait', step: 'speech', isAgain: true });
    expect(paidSteps(VERIFIED.spec, plan)).toEqual([]);
  });
});

describe('a row whose result did not pass a check', () => {
  const file = { key: 'kept' };
  const unfit = (spec: RedriveRow['spec'], take = 1): RedriveRow => {
    return { ...TTS, spec, outcome: 'unfit', failure: UNFIT, file, take };
  };
  const speech = [finished('speech', { failure: UNFIT, file })];
  const lipSync = [finished('speech'), finished('lip-sync', { failure: UNFIT, file })];
  const kept = finished('speech', { take: 2, failure: UNFIT, file });
  const worse = finished('speech', { failure: UNFIT, file: { key: 'worse' } });
  const unchecked: RedriveRow = { ...VERIFIED, outcome: 'skipped', take: 2 };
  const notSent = [finished('speech', { file }), attempt('verification', 'unknown')];
  const accept = { accept: true };

  plans([
    ['is accepted as that of a chain', unfit(DUB.spec), speech, accept, 'accept speech'],
    ['is else paid for again', unfit(DUB.spec), speech, {}, 'pay speech redrive'],
    ['is accepted of the last step', unfit(DUB.spec), lipSync, accept, 'accept lip-sync'],
    ['is else paid for from there', unfit(DUB.spec), lipSync, {}, 'pay lip-sync redrive'],
    ...[TTS.spec, DUB.spec].flatMap((spec): Case[] => [
      ['is that of the take that made it', unfit(spec, 3), [worse, kept], accept, 'accept speech'],
      ['also after one that failed', unfit(spec, 3), [worse, kept, jobFailed('speech', 3)], accept, 'accept speech'],
      ['is none of another file', unfit(spec, 3), [worse], accept, 'leave no-unfit'],
    ]),
    ['whose check was not sent', { ...unchecked, redoFrom: 'verification' }, notSent, accept, 'accept speech'],
    ['without a take for the check', unchecked, notSent, accept, 'leave no-unfit'],
    ['is open', { ...TTS, outcome: null }, [finished('speech', { file })], accept, 'leave open'],
  ]);

  it('is the only one that can be accepted', () => {
    const wish = { ...WISH, accept: true, replace: true };
    const answers = OUTCOMES.map((outcome) => {
      return [outcome, words(planRedrive({ ...TTS, outcome, file }, [finished('speech', { file })], wish))] as const;
    });
    expect(Object.fromEntries(answers)).toEqual({
      ...Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 'leave no-unfit'])),
      ...{ succeeded: 'leave has-result', cached: 'leave has-result', unfit: 'accept speech' },
    });
  });
});

describe('a row that may be paid already', () => {
  const lost = [attempt('speech', 'unknown')];
  const goneTts: RedriveRow = { ...TTS, failure: RESULT_GONE };
  const goneDub: RedriveRow = { ...DUB, failure: RESULT_GONE };
  const laterDub: RedriveRow = { ...goneDub, take: 2, redoFrom: 'lip-sync' };
  const sent = attempt('lip-sync', 'rejected');
  const atTwo: RedriveRow = { ...OVERDUE, take: 2 };
  const resubmit = { resubmit: true };

  plans([
    ...(['unknown', 'failed', 'cancelled'] as const).flatMap((outcome): Case[] => [
      [`is not paid again after a lost answer: ${outcome}`, { ...TTS, outcome }, lost, {}, 'refuse unknown speech'],
      [`is, with a say: ${outcome}`, { ...TTS, outcome }, lost, resubmit, 'pay speech resubmitted'],
    ]),
    ['waits for the job of an overdue row', OVERDUE, [running('speech')], {}, 'wait speech'],
    ['pays again where told to', OVERDUE, [running('speech')], resubmit, 'pay speech resubmitted'],
    ['refuses an edit', OVERDUE, [running('speech')], { edited: { from: 'speech' } }, 'refuse running speech'],
    ['waits where an edit changed nothing', OVERDUE, [running('speech')], { edited: { from: null } }, 'wait speech'],
    ['waits for no job without an id', OVERDUE, [running('speech', { jobId: null })], {}, 'refuse running speech'],
    ['waits for no job of a take before', atTwo, [running('speech')], {}, 'refuse running speech 1'],
    ['waits for that of its take', atTwo, [running('speech', { take: 2 }), running('speech')], {}, 'wait speech'],
    ['pays after a take that ended', atTwo, [finished('speech')], {}, 'pay speech redrive'],
    ['waits for a result that is gone', goneTts, [gone('speech')], {}, 'wait speech'],
    ['pays for it where told to', goneTts, [gone('speech')], resubmit, 'pay speech redrive'],
    [
      'waits for it only if it failed for that',
      { ...goneTts, outcome: 'unknown' },
      [gone('speech')],
      {},
      'pay speech redrive',
    ],
    ['pays after a failure of no class', { ...TTS, failure: null }, [gone('speech')], {}, 'pay speech redrive'],
    ['pays after another failure', { ...OVERDUE, outcome: 'failed' }, [gone('speech')], {}, 'pay speech redrive'],
    ['waits for a kept step whose result is gone', goneDub, [finished('speech')], {}, 'wait speech'],
    ['pays for it where told to, from there', goneDub, [finished('speech')], resubmit, 'pay speech redrive'],
    ['pays for it in a take of its own', laterDub, [finished('speech')], {}, 'pay speech redrive'],
    ['keeps it where the next was sent', goneDub, [finished('speech'), sent], resubmit, 'pay lip-sync redrive'],
    ['not in a take before', laterDub, [finished('speech'), sent], resubmit, 'pay speech redrive'],
    ['in this take', laterDub, [finished('speech'), { ...sent, take: 2 }], resubmit, 'pay lip-sync redrive'],
    ['is left alone on the wire', TTS, [attempt('speech', 'sending')], resubmit, 'refuse on-the-wire speech'],
    [
      'a later step on the wire',
      DUB,
      [finished('speech'), attempt('lip-sync', 'sending')],
      resubmit,
      'refuse on-the-wire lip-sync',
    ],
    [
      'a later step that runs',
      { ...DUB, failure: null },
      [finished('speech'), running('lip-sync')],
      {},
      'refuse running lip-sync',
    ],
  ]);

  const file = { key: 'k', sha256: 's' };
  it.each([
    ['cached', null, false],
    ['cached', { jobId: null }, false],
    ['cached', { jobId: 'job-of-another-row' }, true],
    ['done', null, false],
    ['done', { jobId: 'job-of-a-damaged-result' }, false],
  ] as const)('fetches free what is gone if it was %s, with the source %j: %j', (state, source, isFree) => {
    expect(isFetchedFree(goneTts, [{ ...gone('speech', state), file, source }])).toBe(isFree);
  });

  it('fetches it free where a job can be read for it, and no further step is to be paid', () => {
    expect([goneTts, goneDub].map((row) => isFetchedFree(row, [gone('speech')]))).toEqual([true, false]);
  });
});

describe('a row that needs nothing', () => {
  const whole = [finished('speech'), finished('lip-sync')];
  plans([
    ['is left alone while it has not ended', { ...TTS, outcome: null }, [], { replace: true }, 'leave open'],
    ...(['succeeded', 'cached'] as const).flatMap((outcome): Case[] => [
      [`is left alone when it ${outcome}`, { ...DUB, outcome }, whole, {}, 'leave has-result'],
      [`${outcome}, edited without effect`, { ...DUB, outcome }, whole, { edited: { from: null } }, 'leave has-result'],
      [`${outcome}, meant itself`, { ...DUB, outcome }, whole, { replace: true }, 'pay speech redrive'],
      [`${outcome}, edited`, { ...DUB, outcome }, whole, { edited: { from: 'lip-sync' } }, 'pay lip-sync edited'],
    ]),
  ]);
});

it.each<[Parameters<typeof paidSteps>[0]['kind'], RedrivePlan, readonly Step[]]>([
  ['dub', { type: 'pay', fromStep: 'speech', reason: 'redrive' }, ['speech', 'lip-sync']],
  ['dub', { type: 'wait', step: 'speech' }, ['lip-sync']],
  ['dub', { type: 'accept', step: 'speech' }, ['lip-sync']],
  ['tts', { type: 'wait', step: 'speech' }, []],
  ['tts', { type: 'leave', why: 'open' }, []],
])('of %s, %j pays for %j', (kind, plan, steps) => expect(paidSteps({ kind }, plan)).toEqual(steps));

describe('of any row', () => {
  const kind = fc.constantFrom(...KINDS);
  const attempts = fc.array(
    fc.record({
      step: fc.constantFrom(...STEPS),
      take: fc.integer({ min: 1, max: 3 }),
      attempt: fc.integer({ min: 1, max: 3 }),
      state: fc.constantFrom(...ATTEMPT_STATES),
      finishedAt: fc.constantFrom(null, 1),
      failure: fc.constantFrom(null, { class: 'JobFailed' }),
      jobId: fc.constantFrom(null, 'job'),
    }),
    { maxLength: 6 },
  );
  const rows = kind.chain((ofKind) =>
    fc.record({
      spec: fc.constant({ kind: ofKind }),
      outcome: fc.constantFrom(null, ...OUTCOMES),
      failure: fc.constantFrom(null, { class: 'ResultGone' } as const, { class: 'OutcomeUnknown' } as const),
      take: fc.constant(3),
      redoFrom: fc.constantFrom(null, ...stepsIn({ kind: ofKind })),
    }),
  );
  const wishes = fc.record({
    step: fc.constantFrom(null, ...STEPS),
    resubmit: fc.boolean(),
    replace: fc.boolean(),
    accept: fc.boolean(),
    edited: fc.constantFrom(null, { from: null }),
  });

  it('a step whose last request may count still is never paid again without a say', () => {
    fc.assert(
      fc.property(rows, attempts, wishes, (row, made, wish) => {
        const plan = planRedrive(row, made, wish);
        if (plan.type !== 'pay') return;
        for (const step of paidSteps(row.spec, plan)) {
          const ofStep = made.filter((one) => one.step === step);
          const [last] = ofStep.toSorted((a, b) => b.take - a.take || b.attempt - a.attempt);
          // Of two records at one key the machine takes the first; the ledger has one.
          if (
            last === undefined ||
            ofStep.filter((one) => one.take === last.take && one.attempt === last.attempt).length > 1
          )
            continue;
          expect(last.state).not.toBe('sending');
          const mayCount = last.state === 'unknown' || (last.state === 'accepted' && last.finishedAt === null);
          if (mayCount)
            expect({ resubmit: wish.resubmit, reason: plan.reason }).toEqual({ resubmit: true, reason: 'resubmitted' });
        }
      }),
    );
  });
});
