import { expect, it } from '@jest/globals';
import { missingRequests, adoptableRequests, type RestoredRow } from '../../../policy/reconcile/missing-requests.ts';
import type { AttemptView } from '../../../policy/rows/row-machine.ts';

const made = (step: AttemptView['step'], more: Partial<AttemptView> = {}): AttemptView => {
  return { step, take: 1, attempt: 1, state: 'accepted', finishedAt: 1, failure: null, ...more };
};

function dub(more: Partial<RestoredRow> = {}): RestoredRow {
  const spec = { kind: 'dub' } as const;
  return {
    row: 1,
    spec,
    take: 1,
    redoFrom: null,
    parts: null,
    outcome: null,
    state: 'waiting',
    failure: null,
    ...more,
  };
}

const stepsOf = (requests: ReturnType<typeof missingRequests>): readonly string[] =>
  requests.map(({ step, take }) => `${step} ${String(take)}`);

it('an open row lacks the request that it needs next, and none while it waits for a job', () => {
  expect(stepsOf(missingRequests(dub(), []))).toEqual(['speech 1']);
  expect(stepsOf(missingRequests(dub(), [made('speech')]))).toEqual(['lip-sync 1']);
  expect(missingRequests(dub(), [made('speech', { finishedAt: null })])).toEqual([]);
  expect(missingRequests(dub({ state: 'blocked' }), [])).toEqual([]);
});

it('a row that has ended lacks a next take, which begins with the step that failed, or with one that has a result', () => {
  const failed = made('lip-sync', { failure: {} });
  expect(stepsOf(missingRequests(dub({ outcome: 'failed' }), [made('speech'), failed]))).toEqual([
    'lip-sync 2',
    'speech 2',
  ]);
  const both = [made('speech'), made('lip-sync')];
  expect(stepsOf(missingRequests(dub({ outcome: 'succeeded' }), both))).toEqual(['speech 2', 'lip-sync 2']);
  const voiceless = dub({ outcome: 'failed', failure: { class: 'NoVoice' } });
  for (const row of [dub({ outcome: 'failed', parts: 2 }), voiceless]) expect(missingRequests(row, [])).toEqual([]);
});

it('the next take has to be named where the row has a result, or a request that may still bring one', () => {
  const [failed, lost] = [made('speech', { failure: {} }), made('speech', { state: 'unknown' })];
  const meant = (outcome: RestoredRow['outcome'], attempt: AttemptView, take?: number): readonly string[] =>
    stepsOf(adoptableRequests(dub({ outcome }), [attempt], take));
  expect([meant('failed', failed), meant('failed', failed, 2)]).toEqual([['speech 2'], ['speech 2']]);
  expect([meant('failed', failed, 1), meant('failed', failed, 3)]).toEqual([[], []]);
  expect([meant('unknown', lost), meant('unknown', lost, 2)]).toEqual([[], ['speech 2']]);
  expect(
    stepsOf(adoptableRequests(dub({ outcome: 'succeeded' }), [made('speech'), made('lip-sync')], undefined)),
  ).toEqual([]);
  expect(stepsOf(adoptableRequests(dub({ outcome: 'cancelled' }), [], undefined))).toEqual(['speech 1']);
});
