import { beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { lacksWorker, readSurroundings } from '../../../client/schedules/open-schedules.ts';
import { makeHome } from '../../../embedded/home.ts';
import { KernelLock } from '../../../embedded/kernel-lock.ts';
import { claimUp } from '../../../embedded/up-claim.ts';
import {
  backfillWords,
  checkLines,
  endingWords,
  noWorkerWords,
  priceLines,
} from '../../../starters/schedules/schedule-words.ts';
import { freshFolder } from '../../support/fresh-folder.ts';

const BATCH = 'drops.2026-12-01T02-00-00Z';
const NOTHING = { exit: null, exitCode: null, charged: null, cause: null, reason: null, etag: null } as const;
const VIEW = { at: '2026-12-01T02:00:00Z', batch: BATCH, ...NOTHING, manifestUnchanged: null } as const;

describe('whoever waits for a firing', () => {
  it('hears why it was skipped, and of no batch that is paused', () => {
    const reason = 'The budget of 10 credits for 2026-12 is used up: 10 spent or reserved.';
    const words = endingWords({ ...VIEW, state: 'skipped', cause: 'month-budget', reason }, 'drops', '/out');
    expect(words).toBe(
      `Schedule "drops" fired, and this occurrence was skipped (month-budget): ${reason} No batch was made, and nothing was spent.`,
    );
  });

  it('hears that it waits', () => {
    const words = endingWords({ ...VIEW, state: 'waiting', reason: 'no worker has taken it.' }, 'drops', '/out');
    expect(words).toContain(`Batch ${BATCH} is not made yet: no worker has taken it.`);
  });

  it('hears in which folder its files are', () => {
    const words = endingWords({ ...VIEW, state: 'ended', exit: 'complete', charged: 1200 }, 'drops', '/out');
    expect(words).toBe(
      `Batch ${BATCH} has ended: 1,200 credits. Its files are in /out/${BATCH}/. For its counts: voxbatch status ${BATCH}`,
    );
  });

  it('hears of a pause where there is one', () => {
    expect(endingWords({ ...VIEW, state: 'running' }, 'drops', '/out')).toContain('is paused');
  });
});

it('a check of a schedule that paused by itself says how to go on, also if it was not due', () => {
  const check = {
    schedule: 'my list',
    lost: false as const,
    timezone: 'UTC',
    paused: true,
    worker: true,
    occurrences: [],
  };
  expect(checkLines({ ...check, pausedOnFailure: true }, '26h')).toEqual([
    "AMISS my list: paused by itself, because an occurrence failed, and does not fire. To see what failed: voxbatch schedule show 'my list'. To resume it: voxbatch schedule resume 'my list'",
  ]);
  expect(checkLines({ ...check, pausedOnFailure: false }, '26h')).toEqual([
    'ok    my list: was not due in the last 26h',
  ]);
});

it.each([
  [{ fires: 1, made: 0 }, 'fires for a time of that range.'],
  [{ fires: 2, made: 1 }, 'fires for 2 times of that range. 1 has a batch already and gets no other.'],
  [{ fires: 1_200, made: 2 }, 'fires for 1,200 times of that range. 2 have a batch already and get no other.'],
  [{ fires: 0, made: 3 }, 'has nothing to make up for in that range: 3 have a batch already and get no other.'],
  [{ fires: 0, made: 0 }, 'is never due in that range: nothing fires.'],
])('a backfill of %p counts what it makes', (backfilled, words) => {
  expect(backfillWords('drops', backfilled)).toBe(`Schedule "drops" ${words}`);
});

it.each([
  [400, { left: 47 }, '~106 credits, at most 47, which are left this month.'],
  [null, { left: 47 }, '~106 credits, at most 47, which are left this month.'],
  [40, { left: 47 }, '~106 credits, at most 40 by its budget.'],
  [400, null, '~106 credits, at most 400 by its budget.'],
  [null, null, '~106 credits.'],
])(
  'the price of a firing with the budget %p and of the month %p is at most the smaller one',
  (budget, month, words) => {
    const price = { type: 'sound', rows: 4, free: 0, quoted: 106, unpriced: 0, budget, refusal: null } as const;
    expect(priceLines(price, month)).toEqual([`Each run would now be 4 rows: ${words}`]);
  },
);

describe('who is there to fire a schedule', () => {
  let home = '';

  beforeEach(() => {
    home = join(freshFolder(), 'home');
  });

  const around = (): ReturnType<typeof readSurroundings> => readSurroundings({ home, cluster: undefined });

  it('is nobody where no process is in the home, whatever a worker that was killed had said', () => {
    expect(around()).toEqual({ isCluster: false, isDeserted: true, hasUp: false });
    expect(existsSync(home)).toBe(false);
    expect(lacksWorker(true, around())).toBe(true);
    expect(noWorkerWords(['nightly'], around())).toBe(
      'Nobody is there to fire "nightly": neither a server nor a worker runs here. Start both, and keep them running: ' +
        'voxbatch up (as a service: voxbatch up --print-unit systemd)',
    );
  });

  it('is a server whose worker is for another account; that of up has its place already', async () => {
    const member = new KernelLock(makeHome(home).membersLock);
    member.tryShared();
    expect(around()).toEqual({ isCluster: false, isDeserted: false, hasUp: false });
    expect(lacksWorker(true, around())).toBe(false);
    expect(noWorkerWords(['a', 'b'], around())).toMatch(/for the account of "a", "b" .* keep it running: voxbatch up$/);
    const claim = await claimUp(home);
    expect(noWorkerWords(['a'], around())).toMatch(/: voxbatch worker$/);
    claim?.release();
    member.close();
  });

  it('is a worker of a cluster', () => {
    const cluster = readSurroundings({ home, cluster: { address: 'temporal:7233' } });
    expect(lacksWorker(false, cluster)).toBe(true);
    expect(noWorkerWords(['a'], cluster)).toMatch(/: voxbatch worker$/);
  });
});
