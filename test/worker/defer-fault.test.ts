import { expect, it } from '@jest/globals';
import { RunningWork } from '../../activities/running-work.ts';
import { AnswersLost } from '../../contract/answers-lost.ts';
import { deferFault, type OutageEvent } from '../../worker/watch-outage.ts';
import { waitFor } from '../support/wait-for.ts';

const FULL = new Error('the disk is full');

it('a fault is reported as one for a person while an answer waits, and ends the work once that is kept', async () => {
  const [sends, lostAnswers] = [new RunningWork(), { count: 0 }];
  let keep = (): void => undefined;
  void sends.track('a', new Promise<void>((resolve) => (keep = resolve)));
  const [reported, raised]: [OutageEvent[], Error[]] = [[], []];
  const deferring = deferFault({ sends, lostAnswers }, FULL, {
    onOutage: (event) => reported.push(event),
    raise: (fault) => raised.push(fault),
  });
  await waitFor(() => reported.length > 0);
  expect(reported).toMatchObject([{ of: 'store', type: 'away', needsPerson: true, problem: 'the disk is full' }]);
  expect(raised).toEqual([]);
  keep();
  await deferring;
  expect(raised).toEqual([FULL]);
});

it('says how many answers are lost where the process had to end before', async () => {
  const raised: Error[] = [];
  const work = { sends: new RunningWork(), lostAnswers: { count: 2 } };
  await deferFault(work, FULL, { onOutage: () => undefined, raise: (fault) => raised.push(fault) });
  expect(raised).toEqual([expect.any(AnswersLost)]);
  expect(raised[0]?.message).toBe(
    "the disk is full\n2 paid answers could not be kept, and are lost. Their rows end `unknown`, unless the job is found in the account's list.",
  );
  expect(new AnswersLost(FULL, 1).message).toContain('1 paid answer could not be kept, and is lost. Its row ends');
});
