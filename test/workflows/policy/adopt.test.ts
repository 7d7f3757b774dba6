import { describe, expect, it } from '@jest/globals';
import { jobToAdopt, type ListedJobView, type LostCreate } from '../../../workflows/policy/adopt.ts';

const LOST: LostCreate = {
  videoUrl: 'https://m.example/v.mp4',
  audioUrl: 'https://m.example/a.mp3',
  intentAt: 100_000,
  lookedAt: 110_000,
  clockSlackMs: 1_000,
  othersOutstanding: false,
};
const echoed = (id: string, more: Partial<ListedJobView> = {}): ListedJobView => ({
  id,
  createdAtMs: 100_500,
  videoUrl: LOST.videoUrl,
  audioUrl: LOST.audioUrl,
  ...more,
});
const silent = (id: string, createdAtMs = 100_500): ListedJobView => ({ id, createdAtMs });
const nobodys = (): boolean => false;

describe('jobToAdopt, where the list echoes the inputs', () => {
  it('adopts the one job that matches both', () => {
    const jobs = [echoed('other', { audioUrl: 'https://m.example/b.mp3' }), echoed('mine')];
    expect(jobToAdopt(LOST, jobs, nobodys)).toBe('mine');
  });

  it('adopts it also while other creates are outstanding', () => {
    expect(jobToAdopt({ ...LOST, othersOutstanding: true }, [echoed('mine')], nobodys)).toBe('mine');
  });

  it.each([
    ['two match', [echoed('a'), echoed('b')]],
    ['only one of the URLs matches', [echoed('a', { videoUrl: 'https://m.example/w.mp4' })]],
    ['it was made long before', [echoed('a', { createdAtMs: 50_000 })]],
    ['it was made after the look-up began', [echoed('a', { createdAtMs: 120_000 })]],
  ])('adopts none if %s', (_, jobs) => {
    expect(jobToAdopt(LOST, jobs, nobodys)).toBeUndefined();
  });

  it('adopts none that a row has already', () => {
    expect(jobToAdopt(LOST, [echoed('a')], (id) => id === 'a')).toBeUndefined();
  });
});

describe('jobToAdopt, where the list does not echo the inputs', () => {
  it('adopts the only free job in the window', () => {
    expect(jobToAdopt(LOST, [silent('early', 1_000), silent('mine')], nobodys)).toBe('mine');
  });

  it.each([
    ['two are free', [silent('a'), silent('b')], false],
    ['another create was outstanding', [silent('a')], true],
    ['the job has no time', [{ id: 'a' }], false],
  ] as const)('adopts none if %s', (_, jobs, othersOutstanding) => {
    expect(jobToAdopt({ ...LOST, othersOutstanding }, jobs, nobodys)).toBeUndefined();
  });
});
