import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Counts } from '../../../ledger/batches/counts.ts';
import { toJsonLog } from '../../../starters/terminal/json-log.ts';
import { barLine } from '../../../starters/terminal/bar.ts';
import { ProgressDisplay } from '../../../starters/terminal/progress.ts';
import { PROGRESS_FORMS, type ProgressForm } from '../../../starters/terminal/output.ts';
import { widthOf } from '../../../starters/terminal/table.ts';
import { aBatch } from '../../ledger/setup.ts';
import { capture } from '../command-line.ts';

const NO_MONEY = { charged: 0, reserved: 0, uncertain: 0, estimated: false, saved: 0, damaged: 0 };

function countsOf(succeeded: number, failed: number, total: number): Counts {
  const none = { cached: 0, unfit: 0, skipped: 0, unknown: 0, overdue: 0, cancelled: 0 };
  const states = {
    blocked: 0,
    waiting: total - succeeded - failed,
    submitting: 0,
    processing: 0,
    fetching: 0,
    verifying: 0,
  };
  return { total, notChosen: 0, notCached: 0, states, outcomes: { ...none, succeeded, failed } };
}

type Standing = Parameters<ProgressDisplay['show']>[0];

const NOW = Date.now();

function aStanding(change: Partial<Standing> & { readonly control?: Standing['batch']['control'] } = {}): Standing {
  const { control = 'running', ...rest } = change;
  const settings = aBatch().settings;
  const batch = {
    name: 'b',
    state: 'open',
    control,
    settings,
    createdAt: 0,
    cleaned: {},
  } as unknown as Standing['batch'];
  const pace = { rowsPerSecond: 0, secondsLeft: null };
  return { batch, counts: countsOf(1, 2, 10), money: NO_MONEY, reasons: [], pace, ...rest };
}

/** What is said of a batch at the end of its progress. */
function said(standing: Partial<Standing>, progress?: ProgressForm): string {
  const lines = { out: '', err: '' };
  new ProgressDisplay({ ...capture(lines), ...(progress && { progress }) }).show(aStanding(standing), true);
  return lines.err.trimEnd();
}

describe('the progress line', () => {
  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(NOW);
  });

  it('counts results as done, not failures, and tells the pace and what holds it up', () => {
    const reasons = [{ class: 'ResultGone', cause: '403 from cdn.example', open: 3, ended: 1 }] as const;
    const oldest = {
      row: 7,
      id: 'r7',
      partOf: null,
      step: 'speech',
      since: NOW - 842_000,
      waitedSince: NOW - 842_000,
    } as const;
    expect(said({ reasons, oldest, pace: { rowsPerSecond: 8.2, secondsLeft: 125 } })).toMatch(
      /^1\/10 done, 0 running, 2 failed, 0 unknown, 0 credits, 8\.2 rows\/s, 2:05 left, oldest r7 \(row 7\), speech for 14:02, most common failure 403 from cdn\.example \(4 rows\)$/,
    );
  });

  it('tells of a slow batch by the minute, and of no job that has run for less than one', () => {
    const oldest = { row: 7, id: 'r7', partOf: null, step: 'speech', since: NOW, waitedSince: NOW } as const;
    expect(said({ oldest, pace: { rowsPerSecond: 0.05, secondsLeft: null } })).toMatch(/, 3 rows\/min$/);
  });

  it('tells of the silence of the API where a pace would be', () => {
    const pace = { rowsPerSecond: 8.2, secondsLeft: 125 };
    const silent = (requests: number): string =>
      said({ pace, api: { silence: { since: Date.now() - 42_000, requests }, limited: null } });
    expect(silent(0)).toMatch(/0 credits, no answer from the API for 0:42$/);
    expect(silent(8)).toMatch(/0 credits, 8 requests without an answer for 0:42$/);
    expect(said({ pace, api: { silence: null, limited: null } })).toMatch(/0 credits, 8\.2 rows\/s, 2:05 left$/);
  });

  it('has no cause in a log in JSON, for the API may have repeated a text in it', () => {
    const reasons = [{ class: 'JobFailed', cause: 'bad word in: Rhubarb', open: 0, ended: 3 }] as const;
    const lines = { out: '', err: '' };
    new ProgressDisplay(toJsonLog(capture(lines), false)).show(aStanding({ reasons }), true);
    expect((JSON.parse(lines.err) as { msg: string }).msg).toMatch(/, most common failure JobFailed \(3 rows\)$/);
  });

  it('calls nothing a failure by which no row has ended', () => {
    const reasons = [{ class: 'ResultGone', cause: 'a cut file', open: 2, ended: 0 }] as const;
    expect(said({ reasons })).toMatch(/, most common trouble a cut file \(2 rows, going on\)$/);
  });

  it('says why a batch with a budget is slow to begin, while it has rows to send', () => {
    const words = 'few at once until it is known what speech and lip-sync cost';
    const unpricedSteps = ['speech', 'lip-sync'] as const;
    expect(said({ unpricedSteps })).toContain(words);
    expect(said({ unpricedSteps, counts: countsOf(10, 0, 10) })).not.toContain(words);
  });

  it('keeps money, other outcomes and time in 80 columns where the most common failure has a long name', () => {
    const reasons = [
      { class: 'BadRequest', cause: `400 ERR_VOICE_NOT_${'FOUND'.repeat(9)}`, open: 0, ended: 1 },
    ] as const;
    const words = said({ reasons, pace: { rowsPerSecond: 0, secondsLeft: 9 } });
    expect(words.slice(0, 79)).toMatch(/ 0 credits, 0:09 left, most common/);
  });
});

it.each(PROGRESS_FORMS)(
  '--progress %s shows a line only where lines are asked for, or where no bar can be drawn',
  (form) => {
    expect(said({}, form) === '').toBe(form === 'none' || form === 'json' || form === 'bar');
  },
);

describe('the bar', () => {
  const plain = { hasColour: false, isUnicode: true };
  const bar = (cells: number, change: Partial<Standing> = {}, look = plain): string =>
    barLine(aStanding(change), cells - 1, NOW, look);

  it('is as long as the figures leave room for, and shows rows with a result, without one and open ones', () => {
    expect(bar(80)).toBe(`${'█'.repeat(3)}${'▒'.repeat(6)}${'░'.repeat(21)} 1/10 done, 2 failed, 0 credits`);
    expect(bar(45)).toMatch(/^█▒+░+ 1\/10 done, 2 failed, 0 credits$/);
    expect(widthOf(bar(45))).toBe(44);
    expect(bar(80, {}, { hasColour: false, isUnicode: false })).toMatch(/^={3}x{6}\.{21} 1/);
  });

  it('is left out of a narrow window, where the first figures stay', () => {
    expect(bar(38)).toBe('1/10 done, 2 failed, 0 credits');
    expect(bar(12)).toBe('1/10 done, ');
  });

  it('is full only when all rows have ended, and hides no failure', () => {
    expect(bar(80, { counts: countsOf(99_998, 1, 100_000) })).toMatch(/^█{28}▒░ /);
    expect(bar(80, { counts: countsOf(99_999, 1, 100_000) })).toMatch(/^█{29}▒ /);
    expect(bar(80, { counts: countsOf(100_000, 0, 100_000) })).toMatch(/^█{30} /);
    expect(bar(80, { counts: countsOf(0, 0, 0) })).toMatch(/^░{30} /);
  });

  it('leaves the most common failure room, and never takes more than the line', () => {
    const reasons = [{ class: 'BadRequest', cause: 'x'.repeat(200), open: 0, ended: 1 }] as const;
    for (const columns of [20, 45, 60, 80, 200]) expect(widthOf(bar(columns, { reasons }))).toBeLessThan(columns);
    expect(bar(120, { reasons })).toMatch(/^.{12} 1\/10 done, 2 failed, 0 credits, most common failure x+$/);
  });

  it('has colours only where they are wanted', () => {
    expect(bar(80, {}, { hasColour: true, isUnicode: true })).toContain('\u001b[31m▒');
    expect(bar(80)).not.toContain('\u001b');
  });
});

it('--progress json tells a machine the same as status, about once a second and at the end', () => {
  const events: object[] = [];
  const display = new ProgressDisplay({
    ...capture({ out: '', err: '' }),
    progress: 'json',
    event: (event) => void events.push(event),
  });
  for (const isLast of [false, false, true]) display.show(aStanding(), isLast);
  const facts = { type: 'progress', rows: 10, done: 1, ended: 3, rowsPerSecond: 0, secondsLeft: null, oldest: null };
  expect(events).toEqual([expect.objectContaining(facts), expect.objectContaining(facts)]);
});
