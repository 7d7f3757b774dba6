import { beforeEach, describe, expect, it } from '@jest/globals';
import { MentionedJobs } from '../../../client/webhooks/mentioned-jobs.ts';

const MEMORY_MS = 1_000;

let now: number;
let jobs: MentionedJobs;
beforeEach(() => {
  now = 5_000;
  jobs = new MentionedJobs(MEMORY_MS, () => now);
});

describe('MentionedJobs', () => {
  it.each([
    ['JSON', '{"data":{"job":{"id":"job-1"}}}'],
    ['a form', 'status=done&job=job-1'],
    ['a form that escapes', 'job=%22job-1%22'],
    ['a query', 'from=there&job=job-1\n'],
    ['a header', 'x-task-id\njob-1\naccept\n*/*'],
    ['plain words', 'The job job-1 has ended.'],
  ])('finds a job that is watched in %s', (_, body) => {
    expect(jobs.watch('job-1')).toBe(false);
    expect(jobs.search(body)).toEqual(['job-1']);
  });

  it('tells nothing of jobs that nobody watches, nor of a longer id that contains one', () => {
    jobs.watch('job-1');
    expect(jobs.search('{"id":"job-2","also":"job-11"}')).toEqual([]);
  });

  it('hands out the other words, which may be jobs of another process, again each time', () => {
    jobs.watch('job-1');
    const words: string[] = [];
    jobs.search('job-2 job-1 job-2', words);
    jobs.search('job-2', words);
    expect(words).toEqual(['job-2', 'job-2', 'job-2']);
  });

  it('tells each job once, however often it is mentioned, until it is asked for again', () => {
    jobs.watch('job-1');
    expect(jobs.search('{"id":"job-1","url":"/jobs/job-1"}')).toEqual(['job-1']);
    expect(jobs.search('other')).toEqual([]);
    // The second mention in the same body is no news.
    expect(jobs.watch('job-1')).toBe(false);
    expect(jobs.search('job-1')).toEqual(['job-1']);
  });

  it('remembers a webhook that comes between being told and asking again', () => {
    jobs.watch('job-1');
    jobs.search('job-1');
    expect(jobs.search('job-1')).toEqual([]);
    expect(jobs.watch('job-1')).toBe(true);
  });

  it('tells all jobs of one body, and all whose ids share the part that is searched for', () => {
    for (const id of ['job-1', 'job-2', 'a:shared', 'b:shared']) jobs.watch(id);
    expect(jobs.search('["job-2","job-1"]')).toEqual(['job-2', 'job-1']);
    expect(jobs.search('shared')).toEqual(['a:shared', 'b:shared']);
  });

  it('remembers a mention that comes before anybody asks, for a while and for one', () => {
    jobs.search('{"id":"early"}');
    now += MEMORY_MS;
    expect(jobs.watch('early')).toBe(true);
    expect(jobs.watch('early')).toBe(false);
    jobs.search('{"id":"too-early"}');
    now += MEMORY_MS + 1;
    expect(jobs.watch('too-early')).toBe(false);
  });

  it('forgets a job that is no longer waited for, and only that', () => {
    for (const id of ['a:shared', 'b:shared']) jobs.watch(id);
    jobs.forget('a:shared');
    jobs.forget('never watched');
    expect(jobs.search('shared')).toEqual(['b:shared']);
  });

  it('remembers a bounded number of words: of one body its first, of all the latest', () => {
    const long = Array.from({ length: 200 }, (_, i) => `w${String(i)}`);
    jobs.search(long.join(' '));
    expect([jobs.watch('w0'), jobs.watch('w199')]).toEqual([true, false]);
    jobs.search('first');
    for (let i = 0; i < 5_000; i++) jobs.search(`later-${String(i)}`);
    expect([jobs.watch('first'), jobs.watch('later-4999')]).toEqual([false, true]);
  });

  it('finds a watched job behind any number of other words', () => {
    jobs.watch('job-1');
    expect(jobs.search(`${'word '.repeat(5_000)}job-1`)).toEqual(['job-1']);
  });
});
