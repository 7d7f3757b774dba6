import { describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { followBatch, type FollowEnd, type FollowEvent, type FollowRequest } from '../../../client/status/follow.ts';
import type { WorkflowState } from '../../../client/status/follow.ts';
import { showFollowed } from '../../../starters/run/work-on-batch.ts';
import { aKey } from '../../ledger/setup.ts';
import { freshPlace } from '../../support/place.ts';
import { capture } from '../command-line.ts';
import { find, STATES } from '../reached-states.ts';

const place = freshPlace();
const said = { out: '', err: '' };

function follow(change: Partial<FollowRequest>): Promise<FollowEnd> {
  said.err = '';
  const events = followBatch({ ...REQUEST, ledger: place.ledger, out: place.out, ...change });
  return showFollowed(events, capture(said));
}

const REQUEST: Omit<FollowRequest, 'ledger' | 'out'> = {
  // No row of these batches has a file.
  store: {} as FollowRequest['store'],
  batch: 'b',
  signal: new AbortController().signal,
  waitWhilePaused: false,
  fetchesHere: false,
  readWorkflow: () => Promise.resolve({ type: 'running' }),
  startAgain: () => Promise.reject(new Error('not needed')),
};

async function finish(): Promise<void> {
  await place.ledger.stopNow('b');
  await place.ledger.closeBatch('b');
}

describe('following a batch', () => {
  it('starts a new workflow where the batch was opened again as its workflow ended', async () => {
    await STATES.untouched(place.ledger);
    let starts = 0;
    const end = await follow({
      readWorkflow: () => Promise.resolve({ type: 'completed' }),
      startAgain: async () => {
        starts += 1;
        await finish();
      },
    });
    expect({ why: end.why, starts }).toEqual({ why: 'closed', starts: 1 });
  });

  it('starts none where the workflow has closed the batch in the meantime', async () => {
    await STATES.untouched(place.ledger);
    const readWorkflow = async (): Promise<WorkflowState> => {
      await finish();
      return { type: 'completed' };
    };
    expect(await follow({ readWorkflow })).toMatchObject({ why: 'closed' });
  });

  it('starts a new one where it was ended from outside, says so, and gives up on one that ends again and again', async () => {
    await STATES.untouched(place.ledger);
    let starts = 0;
    const end = await follow({
      readWorkflow: () => Promise.resolve({ type: 'ended', message: 'Ended by hand.' }),
      startAgain: () => {
        starts += 1;
        return Promise.resolve();
      },
      queryEveryMs: 0,
    });
    expect({ why: end.why, starts }).toEqual({ why: 'broken', starts: 3 });
    expect(said.err.split('Ended by hand. It continues with a new one.')).toHaveLength(4);
  });

  it('leaves a line of its own to what follows, where a signal ends it in the midst of its progress', async () => {
    await STATES.untouched(place.ledger);
    const { ledger } = place;
    const batch = await find(ledger);
    const pace = { rowsPerSecond: 0, secondsLeft: null };
    const standing = { batch, counts: await ledger.counts('b'), money: await ledger.money('b'), reasons: [], pace };
    const events = [
      { type: 'progress', standing, isLast: false },
      { type: 'ended', why: 'aborted' },
    ] as unknown as FollowEvent[];
    said.err = '';
    const drawn: (readonly string[])[] = [];
    const draw = (lines: (columns: number) => readonly string[]): void => void drawn.push(lines(80));
    await showFollowed(Readable.from(events), { ...capture(said), progress: 'bar', draw });
    expect(drawn).toEqual([[expect.stringContaining(' done, ')], []]);
    expect(said.err).toMatch(/^0\/\d+ done, .*\n$/);
  });

  it('tells a machine every event by its type, in place of lines of progress', async () => {
    await STATES.untouched(place.ledger);
    const batch = await find(place.ledger);
    const followed = [
      { type: 'paused', batch, waits: true },
      { type: 'standstill', batch, standstill: 'no-worker' },
      { type: 'store-away', why: 'it is away', needsPerson: false },
      { type: 'ended', why: 'aborted', batch },
    ] as const;
    const told: object[] = [];
    const event = (one: object): void => void told.push(one);
    await showFollowed(Readable.from(followed), { ...capture(said), progress: 'json', event });
    expect(told).toEqual([
      { type: 'paused', reason: null, waits: true },
      { type: 'standstill', standstill: 'no-worker' },
      { type: 'store-away', problem: 'it is away', needsPerson: false },
    ]);
  });

  it('says once that the batch is being stopped, and why it gave up', async () => {
    await STATES.halting(place.ledger);
    let asked = 0;
    const readWorkflow = async (): Promise<WorkflowState> => {
      asked += 1;
      await finish();
      return { type: 'running' };
    };
    expect(await follow({ readWorkflow })).toMatchObject({ why: 'closed' });
    const words =
      'failed, the threshold of --halt soon,fail=1. Check the failures before you continue. No more paid requests are sent';
    expect({ asked, often: said.err.split(words).length - 1 }).toEqual({ asked: 1, often: 1 });
  });

  it('leaves a batch that paused by itself, and says what is missing', async () => {
    await STATES['out of credits'](place.ledger);
    expect(await follow({})).toMatchObject({ why: 'paused' });
  });

  it('does not wait at a terminal for another token, which it could not take', async () => {
    await STATES['token refused'](place.ledger);
    expect(await follow({ waitWhilePaused: true })).toMatchObject({ why: 'paused' });
    expect(said.err).not.toContain('This command waits');
  });

  it('waits for the jobs that run where this process fetches them, but not with a token that is refused', async () => {
    await STATES['token refused'](place.ledger);
    expect(await follow({ fetchesHere: true })).toMatchObject({ why: 'paused' });
    await place.ledger.setControl('b', 'running');
    await place.ledger.setControl('b', 'paused');
    const readWorkflow = async (): Promise<WorkflowState> => {
      await place.ledger.changeRunning(aKey(1), { outcome: 'overdue' });
      return { type: 'running' };
    };
    expect(await follow({ fetchesHere: true, readWorkflow })).toMatchObject({ why: 'paused' });
    expect(said.err).toContain('Continue with: voxbatch resume b && voxbatch run b.csv\n');
    expect(said.err).toContain('This command first fetches running jobs, for at most');
  });

  it('says once that no worker is there, but not of a worker of its own', async () => {
    await STATES.untouched(place.ledger);
    for (const fetchesHere of [false, true]) {
      let asked = 0;
      const readWorkflow = async (): Promise<WorkflowState> => {
        asked += 1;
        if (asked === 3) await finish();
        return { type: 'running' };
      };
      if (fetchesHere)
        await place.ledger.redrive('b', [
          { row: 1, take: 1, outcome: 'cancelled', how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } },
        ]);
      expect(await follow({ readWorkflow, fetchesHere, queryEveryMs: 0 })).toMatchObject({ why: 'closed' });
      expect(said.err.split('Start one with the same settings and token: voxbatch worker')).toHaveLength(
        fetchesHere ? 1 : 2,
      );
    }
  });
});
