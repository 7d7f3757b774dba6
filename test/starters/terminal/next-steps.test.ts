import { describe, expect, it } from '@jest/globals';
import type { Finished } from '../../../client/status/next-steps.ts';
import { nextSteps } from '../../../starters/terminal/next-steps.ts';
import type { CacheMode } from '../../../contract/cache-modes.ts';
import { OUTCOMES, ROW_STATES, type Outcome } from '../../../contract/outcomes.ts';
import { aBatch } from '../../ledger/setup.ts';

const none = { count: 0, first: [] };
const rows = (...ids: string[]): Finished['leftovers']['lost']['listed'] => {
  return { count: ids.length, first: ids.map((id, at) => ({ row: at + 1, id })) };
};

/** The steps of a finished batch `b` with these rows left over. */
function steps(
  outcomes: Partial<Record<Outcome, number>>,
  leftovers: Partial<Finished['leftovers']>,
  budget: number | null = null,
  notChosen = 0,
  pilot?: Finished['pilot'],
  out = 'out/b',
  {
    notCached = 0,
    cache = 'on',
    stored = 0,
  }: { readonly notCached?: number; readonly cache?: CacheMode; readonly stored?: number } = {},
): readonly string[] {
  const zero = <T extends string>(names: readonly T[]): Record<T, number> =>
    Object.fromEntries(names.map((name) => [name, 0])) as Record<T, number>;
  return nextSteps({
    batch: { ...aBatch(), subset: null, halted: null, settings: { ...aBatch().settings, budget, cache } },
    counts: { total: 9, notChosen, notCached, outcomes: { ...zero(OUTCOMES), ...outcomes }, states: zero(ROW_STATES) },
    money: { charged: 10.2, reserved: 0, uncertain: 2, estimated: false, saved: 0, damaged: 0 },
    leftovers: {
      failed: new Map(),
      fetchable: none,
      tooLong: none,
      refusedInParts: none,
      voiceless: { count: 0, makers: [] },
      lost: { listed: none, unlisted: none, unchecked: none },
      otherParts: none,
      lateParts: 0,
      overlong: none,
      skippedQuotes: { overBudget: 0, notChosen: 0 },
      earlierUnresolved: none,
      ...leftovers,
    },
    stored,
    pilot,
    out,
  });
}

describe('the next steps', () => {
  it('of rows whose answers were lost tell what can be looked up from what a person has to decide', () => {
    const lost = { listed: rows('v'), unlisted: rows('a b', 'c,d', 'e', 'f'), unchecked: none };
    expect(steps({ unknown: 5 }, { lost })).toEqual([
      '1 row may have been charged. Find out, free: voxbatch reconcile b',
      '4 rows may have been charged; the API has no list to look them up in. If your account shows their jobs: ' +
        "voxbatch reconcile b --adopt 'a b=JOB' '#2=JOB' e=JOB (the first 3 of 4). If they are not there, send again at a new charge: voxbatch reconcile b --resubmit 'a b,#2,e,f'",
    ]);
  });

  it('of rows whose results the store has from before a restore send nobody to pay', () => {
    const step =
      '2 rows without a result, although the store has one from before the restore. To find out how they are given that, free: voxbatch reconcile b';
    expect(steps({ skipped: 3 }, {}, null, 0, undefined, 'out/b', { notCached: 3, stored: 2 })).toEqual([step]);
  });

  it('of a row that lacks only the answer of its verification say that its speech is safe', () => {
    const lost = { listed: none, unlisted: none, unchecked: rows('y') };
    expect(steps({ unknown: 1 }, { lost })).toEqual([
      '1 row with a result stored and paid for; only the answer of its verification is lost, which may have been charged. To take it unverified, ' +
        'free: voxbatch redrive b --accept y. To pay for another verification: voxbatch reconcile b --resubmit y',
    ]);
  });

  it('of parts whose answers were lost name them, quoted for a shell', () => {
    const first = [
      { row: 1, id: 'a' },
      { row: 7, id: 'ch1#2', partOf: 3 },
    ];
    const lost = { listed: none, unlisted: { count: 2, parts: 1, first }, unchecked: none };
    expect(steps({ unknown: 2 }, { lost })).toEqual([
      '1 row and 1 part may have been charged; the API has no list to look them up in. If your account shows their jobs: ' +
        "voxbatch reconcile b --adopt a=JOB 'ch1#2=JOB'. If they are not there, send again at a new charge: voxbatch reconcile b --resubmit 'a,ch1#2'",
    ]);
  });

  it('of a row in doubt name its other parts without a result, too', () => {
    const otherParts = { count: 1, parts: 1, first: [{ row: 9, id: 'ch1#4', partOf: 3 }] };
    expect(steps({ unknown: 1 }, { otherParts })).toEqual([
      "1 part of these rows in parts has no result either. To send it again, at its price: voxbatch redrive b --rows 'ch1#4'",
    ]);
  });

  it('of late parts of a row in doubt are to fetch them, free', () => {
    expect(steps({ unknown: 1 }, { lateParts: 1 })).toEqual([
      '1 part with a job that was still running. To fetch it, free: voxbatch redrive b --where outcome=overdue',
    ]);
    expect(steps({ overdue: 2 }, { lateParts: 1 }).join()).toContain('2 rows and 1 part with a job');
  });

  it('of earlier takes in doubt are to settle them by their takes', () => {
    const first = [
      { row: 1, id: 'a b', take: 1 },
      { row: 7, id: 'c', take: 2 },
    ];
    expect(steps({ succeeded: 9 }, { earlierUnresolved: { count: 2, first } })).toEqual([
      '2 requests of earlier takes may also have been charged. If your account shows no job for them, ' +
        "mark them as not charged: voxbatch reconcile b --not-charged 'a b/1' c/2. If it shows one: voxbatch reconcile b --adopt 'a b/1=JOB'",
    ]);
  });

  it('name no more takes than fit, and say so after the command, which works as it is printed', () => {
    const first = Array.from({ length: 25 }, (_, at) => ({ row: at + 1, id: `r${at + 1}`, take: 1 }));
    expect(steps({ succeeded: 9 }, { earlierUnresolved: { count: 34, first } }).join()).toMatch(
      / --not-charged r1\/1 r2\/1 .* r20\/1 \(the first 20 of 34\)\. If it shows one: voxbatch reconcile b --adopt r1\/1=JOB$/,
    );
  });

  it('of a voice whose answer was lost speak of its voice, not of a job', () => {
    const lost = (...made: ('voice' | 'job')[]): Finished['leftovers']['lost'] => {
      const first = made.map((makes, at) => ({ row: at + 1, id: `r${at + 1}`, makes }));
      return { listed: none, unlisted: { count: made.length, first }, unchecked: none };
    };
    expect(steps({ unknown: 1 }, { lost: lost('voice') }).join()).toContain(
      'If your account shows its voice: voxbatch reconcile b --adopt r1=VOICE. If it is',
    );
    expect(steps({ unknown: 2 }, { lost: lost('voice', 'job') }).join()).toContain(
      'If your account shows their jobs or voices: voxbatch reconcile b --adopt r1=VOICE r2=JOB. If they',
    );
  });

  it('of rows whose parts failed a check are to accept them, free', () => {
    const failed = new Map([['Unfit', rows('a')]] as const);
    expect(steps({ failed: 2 }, { failed })).toEqual([
      '1 row with parts that failed a check, which are kept. Why, and their files: voxbatch explain a --batch b. To accept it as it is, free: ' +
        'voxbatch redrive b --where outcome=failed --where class=Unfit --accept. To pay for such parts again: ' +
        'voxbatch redrive b --where outcome=failed --where class=Unfit',
    ]);
  });

  it('of rows with refused parts are to change the text under another name, as their parts are those of the old one', () => {
    expect(steps({ failed: 1 }, { refusedInParts: rows('a') })).toEqual([
      '1 row with parts that the API refused, not charged. Why: voxbatch explain a --batch b. Change its text in the manifest, and run that ' +
        'under another name, where parts that did not change come from the cache, free: voxbatch run b.csv --name NEW-NAME',
    ]);
  });

  it('of texts that are too long are to cut them, as they are: no edit of failed.csv does that', () => {
    expect(steps({ failed: 1 }, { tooLong: rows('a') })).toEqual([
      '1 row with a text that is longer than the API takes, not charged. Why: voxbatch explain a --batch b. No edit is needed. To split it, ' +
        'run the manifest under another name, where finished rows come from the cache, free: voxbatch run b.csv --name NEW-NAME --split sentences',
    ]);
    const failed = new Map([['BadRequest', rows('c')]] as const);
    const [mixed, tooLong] = steps({ failed: 3 }, { failed, tooLong: rows('a', 'b') });
    expect(mixed).toContain(
      'Fix it in out/b/failed.csv, then: voxbatch run out/b/failed.csv (this also sends the other',
    );
    expect(tooLong).toContain('2 rows with a text that is longer than the API takes, not charged.');
    expect(tooLong).toContain('To split them,');
  });

  it('of rejected rows are to mend them, since a plain redrive fails the same way', () => {
    const failed = new Map([
      ['BadRequest', rows('a')],
      ['JobFailed', rows('b', 'c')],
      ['ServiceDown', rows('d')],
    ] as const);
    expect(steps({ failed: 5 }, { failed, fetchable: rows('e') })).toEqual([
      '1 row rejected by the API, not charged. Why: voxbatch explain a --batch b. Fix it in out/b/failed.csv, ' +
        'then: voxbatch run out/b/failed.csv (this also sends the other failed rows again)',
      '1 row whose result was paid for but could not be fetched. Try again, free: voxbatch redrive b --where class=ResultGone',
      '3 rows failed. Why: voxbatch explain b --batch b. To send them again, at their price: voxbatch redrive b --where class=JobFailed,ServiceDown',
    ]);
    const jobFailed = new Map([['JobFailed', rows('x')]] as const);
    const words =
      '1 row failed. Why: voxbatch explain x --batch b. To send it again, at its price: voxbatch redrive b --where';
    expect(steps({ failed: 1 }, { failed: jobFailed })).toEqual([`${words} outcome=failed`]);
    // Another is among the failed ones because its answer was lost (--on-unknown fail).
    const lost = {
      listed: rows(),
      unlisted: { count: 1, first: [{ row: 2, id: 'y', makes: 'nothing' as const }] },
      unchecked: none,
    };
    expect(steps({ failed: 2 }, { failed: jobFailed, lost })).toEqual([
      '1 row may have been charged; the API has no list to look it up in. Such a request makes no job to fetch. ' +
        'To send again at a new charge: voxbatch reconcile b --resubmit y',
      `${words} class=JobFailed`,
    ]);
  });

  it('of rows without a voice name the row that makes it, because a redrive of them alone fails again', () => {
    const failed = new Map([['BadRequest', rows('eva')]] as const);
    const voiceless = { count: 2, makers: [1] };
    const said = steps({ failed: 3 }, { failed, voiceless });
    expect(said.join('\n')).not.toContain('redrive');
    expect(said[1]).toBe(
      '2 rows without a voice, which row 1 did not make. They go on by themselves once that row has succeeded. Why not: voxbatch explain 1 --batch b',
    );
    expect(steps({ failed: 1 }, { voiceless: { count: 1, makers: [1, 4] } }).join()).toMatch(
      /^1 row without a voice, which rows 1, 4 did not make. It goes on by itself once those rows have/,
    );
    // After an hour of training, the voice may be there.
    const trained = new Map([['NoVoice', rows('c')]] as const);
    expect(steps({ failed: 1 }, { failed: trained }).join()).toContain('voxbatch redrive b --where outcome=failed');
  });

  it('of rows whose result is lost say what is free, and what is not', () => {
    const lost = new Map([['ResultGone', rows('x')]] as const);
    const paid =
      '1 row failed. Why: voxbatch explain x --batch b. To send it again, at its price: voxbatch redrive b --where';
    expect(steps({ failed: 1 }, { failed: lost })).toEqual([`${paid} outcome=failed`]);
    expect(steps({ failed: 3 }, { failed: lost, fetchable: rows('y', 'z') })).toEqual([
      '2 rows whose result was paid for but could not be fetched. Try again, free: voxbatch redrive b --rows y,z',
      `${paid} class=ResultGone`,
    ]);
  });

  it.each([
    [20, 9, 'over the budget. To send them: voxbatch run b.csv --budget 22'],
    [20, null, 'over the budget. To send them: voxbatch run b.csv --budget CREDITS'],
    [22, 9, 'over the earlier budget. The budget is sufficient now: voxbatch run b.csv'],
    [null, 9, 'over the earlier budget. The budget is sufficient now: voxbatch run b.csv'],
  ])('of skipped rows at a budget of %p, %p short', (budget, overBudget, words) => {
    expect(steps({ skipped: 2 }, { skippedQuotes: { overBudget, notChosen: 0 } }, budget).join('\n')).toContain(
      `2 rows not sent: ${words}`,
    );
  });

  it.each([
    ['only', 'voxbatch tune b --cache on, then: voxbatch redrive b --where class=NotCached'],
    // A run would send nothing.
    ['on', 'voxbatch redrive b --where class=NotCached'],
  ] as const)('of rows without an earlier result are a redrive, also in the cache mode %s', (cache, commands) => {
    const skipped = { skippedQuotes: { overBudget: 9, notChosen: 0 } };
    const said = steps({ skipped: 5 }, skipped, 20, 0, undefined, 'out/b', { notCached: 3, cache });
    expect(said).toEqual([
      `3 rows without an earlier result, not sent. To pay for them: ${commands}`,
      '2 rows not sent: over the budget. To send them: voxbatch run b.csv --budget 22',
    ]);
    expect(steps({ skipped: 3 }, {}, null, 0, undefined, 'out/b', { notCached: 3, cache })).toHaveLength(1);
  });

  it.each([
    [null, 9, '3 rows not chosen. To send them, for about 9 credits: voxbatch run b.csv'],
    [20, 9, '3 rows not chosen. To send them, for about 9 credits: voxbatch run b.csv --budget 22'],
    [null, null, '3 rows not chosen. To send them, at their price: voxbatch run b.csv'],
  ])('of rows that are not chosen at a budget of %p, %p short', (budget, notChosen, words) => {
    expect(steps({ skipped: 3 }, { skippedQuotes: { overBudget: 0, notChosen } }, budget, 3)).toEqual([words]);
  });

  it.each([
    [15, 'for about 15 credits: voxbatch run b.csv --budget 28'],
    // A request is held to the budget by its quote.
    [5, 'for about 5 credits: voxbatch run b.csv --budget 22'],
  ])('of rows that are not chosen tell the price that a sample has shown, %d for 9', (expected, words) => {
    const pilot = { prices: { operations: [], differs: true, rest: { quoted: 9, expected } } };
    expect(steps({ skipped: 3 }, { skippedQuotes: { overBudget: 0, notChosen: 9 } }, 20, 3, pilot)).toEqual([
      `3 rows not chosen. To send them, ${words}`,
    ]);
  });

  it('of rows that the budget skipped do not pay for those that are not chosen', () => {
    const [skipped] = steps({ skipped: 5 }, { skippedQuotes: { overBudget: 9, notChosen: 9 } }, 20, 3);
    expect(skipped).toContain('2 rows not sent: over the budget.');
    expect(skipped).toMatch(/: voxbatch run b\.csv --budget 22$/);
  });

  it.each([
    [20, 31],
    [22, 31],
    [31, null],
  ])('add up where they are run in order, at a budget of %d', (budget, needed) => {
    const skippedQuotes = { overBudget: 9, notChosen: 9 };
    const [, notChosen] = steps({ skipped: 5 }, { skippedQuotes }, budget, 3);
    const flag = needed === null ? '' : ` --budget ${needed}`;
    expect(notChosen).toBe(`3 rows not chosen. To send them, for about 9 credits: voxbatch run b.csv${flag}`);
  });

  it('keep another out folder in every command that writes there', () => {
    const failed = new Map([
      ['BadRequest', rows('a')],
      ['JobFailed', rows('b')],
      ['Unfit', rows('c')],
    ] as const);
    const lost = { listed: rows('v'), unlisted: rows('w'), unchecked: rows('x') };
    const outcomes = { failed: 4, unknown: 3, overdue: 1, unfit: 1, cancelled: 1, skipped: 5 };
    const leftovers = { failed, fetchable: rows('d'), lost, skippedQuotes: { overBudget: 9, notChosen: 9 } };
    const said = steps(outcomes, leftovers, 20, 3, undefined, 'my out').join('\n');
    expect(said).toContain("in 'my out/failed.csv', then: voxbatch run 'my out/failed.csv' --out 'my out' (this also");
    const commands = said.match(/voxbatch (?:run|redrive|reconcile) .*?(?=: |\. | \(|\n|$)/gu) ?? [];
    expect(commands.length).toBeGreaterThan(12);
    expect(commands.filter((command) => !command.includes("--out 'my out'"))).toEqual([]);
  });

  it('agree with one row', () => {
    expect(steps({ cancelled: 1, overdue: 1, unfit: 1 }, {})).toEqual([
      '1 row with a job that was still running. To fetch it, free: voxbatch redrive b --where outcome=overdue',
      '1 row with a result that failed a check, kept under media/unfit/. To accept it as it is, free: ' +
        'voxbatch redrive b --where outcome=unfit --accept. To pay for it again: voxbatch redrive b --where outcome=unfit',
      '1 row cancelled. To send it, at its price: voxbatch redrive b --where outcome=cancelled',
    ]);
  });
});
