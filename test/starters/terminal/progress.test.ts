import { describe, expect, it } from '@jest/globals';
import type { Counts } from '../../../ledger/record-types.ts';
import { ProgressDisplay, type Standing } from '../../../starters/terminal/progress.ts';
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
  return { total, notChosen: 0, states, outcomes: { ...none, succeeded, failed } };
}

function lastLine(control: Standing['batch']['control'], reasons: Standing['reasons'] = [], isQuiet = false): string {
  const said = { out: '', err: '' };
  const display = new ProgressDisplay({ ...capture(said), isQuiet });
  const batch = { settings: aBatch().settings, control };
  display.show({ batch, counts: countsOf(0, 0, 10), money: NO_MONEY });
  display.show({ batch, counts: countsOf(1, 2, 10), money: NO_MONEY, reasons }, true);
  return said.err.trim().split('\n').at(-1) ?? '';
}

describe('the progress line', () => {
  it('names the most common failure without a second count of failed rows', () => {
    const reasons = [{ class: 'ResultGone', cause: '403 from cdn.example', open: 3, ended: 1 }] as const;
    expect(lastLine('running', reasons)).toMatch(
      /^3\/10 done, 0 running, 2 failed, 0 unknown, 0 credits, [\d:]+ left, most common failure 403 from cdn\.example \(4 rows\)$/,
    );
  });

  it('calls nothing a failure by which no row has ended', () => {
    const reasons = [{ class: 'ResultGone', cause: 'a cut file', open: 2, ended: 0 }] as const;
    expect(lastLine('running', reasons)).toMatch(/ left, most common trouble a cut file \(2 rows, going on\)$/);
  });

  it('says why a batch with a budget is slow to begin', () => {
    const said = { out: '', err: '' };
    const display = new ProgressDisplay(capture(said));
    const batch = { settings: aBatch().settings, control: 'running' } as const;
    display.show({ batch, counts: countsOf(0, 0, 10), money: NO_MONEY, untold: ['speech', 'lip-sync'] }, true);
    expect(said.err).toContain('few at once until it is known what speech and lip-sync cost');
  });

  it('keeps money, other outcomes and time in 80 columns where the most common failure has a long name', () => {
    const reasons = [
      { class: 'BadRequest', cause: `400 ERR_VOICE_NOT_${'FOUND'.repeat(9)}`, open: 0, ended: 1 },
    ] as const;
    expect(lastLine('running', reasons).slice(0, 79)).toMatch(/ 0 credits, [\d:]+ left, most common/);
  });

  it('tells the time that is left while the batch runs, and none while it is paused or stopped', () => {
    expect(lastLine('running')).toMatch(/ left$/);
    expect(lastLine('paused')).toMatch(/0 credits$/);
    expect(lastLine('stopping')).toMatch(/0 credits$/);
  });
});

describe('--quiet', () => {
  it('shows no progress', () => {
    expect(lastLine('running', [], true)).toBe('');
  });
});
