import { describe, expect, it } from '@jest/globals';
import {
  chooseJob,
  type Finding,
  type ListedJobView,
  type LostCreate,
  type OtherCreate,
} from '../../../policy/reconcile/match-lost-job.ts';

const VIDEO = 'https://m.example/v.mp4';
const AUDIO = 'https://m.example/a.mp3';
const LOST: LostCreate = {
  isVideo: (url) => url === VIDEO,
  isAudio: (url) => url === AUDIO,
  intentAt: 100_000,
  lookedAt: 110_000,
  clockSlackMs: 1_000,
};
const echoed = (id: string, more: Partial<ListedJobView> = {}): ListedJobView => ({
  id,
  createdAtMs: 100_500,
  videoUrl: VIDEO,
  audioUrl: AUDIO,
  ...more,
});
const silent = (id: string, createdAtMs = 100_500): ListedJobView => ({ id, createdAtMs });

describe('chooseJob, where the list echoes the inputs', () => {
  it('takes the one job that matches both, also while other creates are outstanding', () => {
    const jobs = [echoed('other', { audioUrl: 'https://m.example/b.mp3' }), echoed('mine')];
    expect(chooseJob(LOST, jobs, [])).toEqual({ type: 'found', id: 'mine' });
  });

  it.each([
    ['only one of the URLs matches', [echoed('a', { videoUrl: 'https://m.example/w.mp4' })]],
    ['only one of the URLs is echoed', [{ id: 'a', createdAtMs: 100_500, videoUrl: VIDEO }]],
    ['it was made long before', [echoed('a', { createdAtMs: 98_999 })]],
    ['it was made after the list was read', [echoed('a', { createdAtMs: 111_001 })]],
    ['the list is empty', []],
  ])('finds nothing if %s', (_, jobs) => expect(chooseJob(LOST, jobs, [])).toEqual({ type: 'nothing' }));

  it('does not ask whether a link that is not echoed is the audio that was sent', () => {
    const { audioUrl, ...job } = echoed('a');
    expect(audioUrl).toBe(AUDIO);
    expect(chooseJob({ ...LOST, isAudio: () => true }, [job], [])).toEqual({ type: 'nothing' });
  });

  it.each([99_000, 111_000])('takes a job made at the edge of the time: %d', (createdAtMs) => {
    expect(chooseJob(LOST, [echoed('mine', { createdAtMs })], [])).toMatchObject({ type: 'found' });
  });

  const same = (more: Partial<OtherCreate> = {}): OtherCreate => ({
    isSame: true,
    isSending: false,
    intentAt: 100_000,
    ...more,
  });
  const sending = same({ isSending: true });
  const other = same({ isSame: false });

  const [FOUND, AMBIGUOUS, NOTHING] = [
    { type: 'found', id: 'job-1' },
    { type: 'ambiguous' },
    { type: 'nothing' },
  ] as const;
  it.each<[string, number, readonly OtherCreate[], Finding]>([
    ['one job, nobody else', 1, [], FOUND],
    ['a job more than creates: a stranger made one', 2, [], AMBIGUOUS],
    ['a job for each', 2, [same()], FOUND],
    ['fewer jobs than creates', 2, [same(), same()], FOUND],
    ['the job may be of one that is on the wire', 1, [sending], NOTHING],
    ['one of the jobs is not of the one on the wire', 2, [sending], FOUND],
    ['all jobs may be of those on the wire', 2, [sending, sending, same()], NOTHING],
    ['one more than those on the wire', 2, [sending, same()], FOUND],
    ['one began after the list was read', 2, [same({ intentAt: 110_001 })], AMBIGUOUS],
    ['one began right then', 2, [same({ intentAt: 110_000 })], FOUND],
    ['one with the same links wants something else, and was given up', 1, [other], AMBIGUOUS],
    ['one such may still be answered', 2, [{ ...other, isSending: true }], NOTHING],
    ['both of these', 1, [other, { ...other, isSending: true }], AMBIGUOUS],
  ])('where others have the same links: %s', (_, jobs, others, finding) => {
    const free = Array.from({ length: jobs }, (__, index) => echoed(`job-${index + 1}`));
    expect(chooseJob(LOST, free, others)).toEqual(finding);
  });
});

it.each([
  ['one fits', [silent('a')]],
  ['two fit', [silent('a'), silent('b')]],
  ['the job has no time', [{ id: 'a' }]],
] as const)(
  'chooseJob, where the list does not echo the inputs, takes none, and is in doubt, where %s: anybody may have made it',
  (_, jobs) => {
    expect(chooseJob(LOST, jobs, [])).toEqual({ type: 'ambiguous' });
  },
);
