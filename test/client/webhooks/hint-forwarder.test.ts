import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HintForwarder } from '../../../client/webhooks/hint-forwarder.ts';
import { waitFor } from '../../support/wait-for.ts';

const ACCOUNT = { apiUrl: 'http://127.0.0.1/api/open/v1', account: 'u1' };

let workers: readonly string[];
/** Ids of jobs of another process. */
let jobs: readonly string[];
let asked: (readonly string[])[];
let lookups: number;
let failing: boolean;
let passing: HintForwarder;

beforeEach(() => {
  begin(60_000);
});
afterEach(() => {
  passing.end();
});

/** `retryForMs`: how long a word is looked up again. */
function begin(retryForMs: number): void {
  [workers, jobs, asked, lookups, failing] = [['mine', 'other'], ['job-1'], [], 0, false];
  passing = new HintForwarder({
    ledger: {
      livingWorkers: () => {
        lookups += 1;
        return Promise.resolve(workers);
      },
      passHints: (_account, _owner, words) => {
        asked.push(words);
        if (failing) return Promise.reject(new Error('The ledger is away.'));
        return Promise.resolve(words.filter((word) => jobs.includes(word)));
      },
    },
    owner: 'mine',
    account: ACCOUNT,
    pauses: { gatherMs: 1, retryForMs, retryEveryMs: 5 },
  });
}

describe('the passing of hints', () => {
  it('looks for the jobs of all webhooks of a moment at once, and no more for a job that was found', async () => {
    passing.add(['application', 'job-1']);
    passing.add(['json', 'job-1']);
    await waitFor(() => asked.length > 1);
    expect(asked[0]).toEqual(['application', 'job-1', 'json']);
    expect(asked[1]).toEqual(['application', 'json']);
  });

  it('finds a job whose webhook was faster than its record', async () => {
    passing.add(['job-2']);
    await waitFor(() => asked.length > 0);
    jobs = ['job-2'];
    const before = asked.length;
    await waitFor(() => asked.length > before);
    passing.add(['job-3']);
    await waitFor(() => asked.at(-1)?.includes('job-3') === true);
    expect(asked.at(-1)).toEqual(['job-3']);
  });

  it('looks again for a job that is mentioned again', async () => {
    passing.add(['job-1']);
    await waitFor(() => asked.length === 1);
    passing.add(['job-1']);
    await waitFor(() => asked.length === 2);
    expect(asked).toEqual([['job-1'], ['job-1']]);
  });

  it('does not look for words that have named no job', async () => {
    passing.end();
    begin(0);
    passing.add(['application']);
    await waitFor(() => asked.length > 0);
    passing.add(['application', 'job-1']);
    await waitFor(() => asked.length > 1);
    expect(asked.at(-1)).toEqual(['job-1']);
  });

  it('asks for no job while it is alone', async () => {
    workers = ['mine'];
    passing.add(['job-1']);
    await waitFor(() => lookups > 0);
    passing.add(['job-1']);
    expect(asked).toEqual([]);
  });

  it('leaves out what cannot be looked for, and goes on', async () => {
    failing = true;
    passing.add(['job-1']);
    await waitFor(() => asked.length === 1);
    failing = false;
    passing.add(['job-1']);
    await waitFor(() => asked.length === 2);
  });

  it('looks for a bounded number of words at once', async () => {
    passing.add(Array.from({ length: 10_000 }, (_, i) => `w${String(i)}`));
    await waitFor(() => asked.length > 0);
    expect(asked[0]).toHaveLength(500);
  });
});
