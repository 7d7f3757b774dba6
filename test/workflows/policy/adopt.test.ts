import { describe, expect, it } from '@jest/globals';
import { chooseJob, mayBe, type ListedJobView, type LostCreate } from '../../../workflows/policy/adopt.ts';

const AUDIO = 'https://m.example/a.mp3';
const LOST: LostCreate = {
  videoUrl: 'https://m.example/v.mp4',
  isAudio: (url) => url === AUDIO,
  intentAt: 100_000,
  lookedAt: 110_000,
  clockSlackMs: 1_000,
  othersOutstanding: false,
};
const echoed = (id: string, more: Partial<ListedJobView> = {}): ListedJobView => ({
  id,
  createdAtMs: 100_500,
  videoUrl: LOST.videoUrl,
  audioUrl: AUDIO,
  ...more,
});
const silent = (id: string, createdAtMs = 100_500): ListedJobView => ({ id, createdAtMs });

describe('chooseJob, where the list echoes the inputs', () => {
  it('takes the one job that matches both, also while other creates are outstanding', () => {
    const jobs = [echoed('other', { audioUrl: 'https://m.example/b.mp3' }), echoed('mine')];
    expect(chooseJob(LOST, jobs, 1)).toEqual({ is: 'found', id: 'mine' });
    expect(chooseJob({ ...LOST, othersOutstanding: true }, jobs, 1)).toEqual({ is: 'found', id: 'mine' });
  });

  it.each([
    ['only one of the URLs matches', [echoed('a', { videoUrl: 'https://m.example/w.mp4' })]],
    ['only one of the URLs is echoed', [{ id: 'a', createdAtMs: 100_500, videoUrl: LOST.videoUrl }]],
    ['it was made long before', [echoed('a', { createdAtMs: 98_999 })]],
    ['it was made after the list was read', [echoed('a', { createdAtMs: 111_001 })]],
    ['the list is empty', []],
  ])('finds nothing if %s', (_, jobs) => {
    expect(chooseJob(LOST, jobs, 1)).toEqual({ is: 'nothing' });
  });

  it.each([99_000, 111_000])('takes a job made at the edge of the time: %d', (createdAtMs) => {
    expect(chooseJob(LOST, [echoed('mine', { createdAtMs })], 1)).toMatchObject({ is: 'found' });
  });

  it('takes a job of which no time is told', () => {
    expect(chooseJob(LOST, [{ id: 'mine', videoUrl: LOST.videoUrl, audioUrl: AUDIO }], 1)).toMatchObject({
      is: 'found',
    });
  });

  it('gives rows that look alike one of their jobs each, but none where a stranger made one more', () => {
    const jobs = [echoed('a'), echoed('b')];
    expect(chooseJob(LOST, jobs, 1)).toEqual({ is: 'doubt' });
    expect(chooseJob(LOST, jobs, 2)).toEqual({ is: 'found', id: 'a' });
    expect(chooseJob(LOST, jobs, 3)).toEqual({ is: 'found', id: 'a' });
    expect(chooseJob(LOST, jobs.slice(1), 2)).toEqual({ is: 'found', id: 'b' });
  });
});

describe('chooseJob, where the list does not echo the inputs', () => {
  it('takes the only free job in the window', () => {
    expect(chooseJob(LOST, [silent('early', 1_000), silent('mine')], 1)).toEqual({ is: 'found', id: 'mine' });
  });

  it.each([
    ['two are free', [silent('a'), silent('b')], false],
    ['another create was outstanding', [silent('a')], true],
    ['the job has no time', [{ id: 'a' }], false],
  ] as const)('is in doubt if %s', (_, jobs, othersOutstanding) => {
    expect(chooseJob({ ...LOST, othersOutstanding }, jobs, 2)).toEqual({ is: 'doubt' });
  });
});

describe('mayBe', () => {
  it('tells which jobs are worth asking whose they are', () => {
    const jobs = [echoed('a'), echoed('b', { audioUrl: 'https://m.example/b.mp3' }), silent('c'), silent('d', 1_000)];
    expect(jobs.filter((job) => mayBe(LOST, job)).map(({ id }) => id)).toEqual(['a', 'c']);
  });
});
