import { describe, expect, it } from '@jest/globals';
import type { Pilot } from '../../../batches/subset/pilot.ts';
import type { ExitName } from '../../../contract/exit-codes.ts';
import { runSampleFirst } from '../../../starters/run/after-sample.ts';
import type { Flags } from '../../../starters/commands/flags.ts';
import { readRunFlags } from '../../../starters/run/run-options.ts';
import type { RunRequest } from '../../../starters/run/run-options.ts';
import { readSettings } from '../../../starters/connect/settings.ts';
import { capture } from '../command-line.ts';

const PILOT: Pilot = {
  rows: [],
  run: 5,
  left: 95,
  prices: { operations: [], differs: true, rest: { quoted: 950, expected: 1_425 } },
  charged: 75,
  whole: { quoted: 1_000, expected: 1_500 },
  budgetLeft: null,
};

interface Given {
  readonly flags?: Flags;
  readonly exit?: ExitName;
  readonly pilot?: Pilot | undefined;
  readonly isTerminal?: boolean;
  readonly says?: boolean;
}

/** Runs a sample that ends so, and what comes after it. */
async function after({ flags = {}, exit = 'complete', isTerminal = false, says = false, ...given }: Given): Promise<{
  readonly exit: ExitName;
  readonly runs: readonly RunRequest[];
  readonly asked: readonly string[];
  readonly lines: { readonly out: string; readonly err: string };
}> {
  const typed: Flags = { sample: 5, seed: 2, confirmAfterSample: true, json: true, ...flags };
  const plan = await readRunFlags('lines.csv', typed, await readSettings());
  const request = { manifestPath: 'lines.csv', flags: typed, plan } as unknown as RunRequest;
  const lines = { out: '', err: '' };
  const runs: RunRequest[] = [];
  const asked: string[] = [];
  const pilot = 'pilot' in given ? given.pilot : PILOT;
  const ended = await runSampleFirst(
    request,
    { output: { ...capture(lines), isInteractive: isTerminal } },
    (one, { output }) => {
      runs.push(one);
      if (pilot !== undefined) one.onPilot?.(pilot);
      output.data(`run ${String(runs.length)}`);
      return Promise.resolve(runs.length === 1 ? exit : 'failures');
    },
    (question) => {
      asked.push(question);
      return Promise.resolve(says);
    },
  );
  return { exit: ended, runs, asked, lines };
}

describe('run --sample N --confirm-after-sample', () => {
  it('asks with the price that the sample has shown, and sends the others at a yes', async () => {
    const { exit, runs, asked, lines } = await after({ isTerminal: true, says: true });
    expect(asked).toEqual(['Send the other 95 rows for about 1,425 credits?']);
    expect(runs.map(({ plan, isAgreed = false }) => [plan.subset, plan.manifest.subset, isAgreed])).toEqual([
      [expect.objectContaining({ rows: 5 }), expect.objectContaining({ rows: 5 }), false],
      [null, null, true],
    ]);
    expect(runs[1]?.flags).toEqual({ json: true });
    // One line of data for one command.
    expect([exit, lines.out]).toEqual(['failures', 'run 2\n']);
  });

  it('ends as the sample does at a no, also where rows of it failed', async () => {
    for (const exit of ['complete', 'failures'] as const) {
      const ended = await after({ exit, isTerminal: true });
      expect([ended.exit, ended.runs.length, ended.asked.length, ended.lines.out]).toEqual([exit, 1, 1, 'run 1\n']);
    }
  });

  it('does not send the others unasked where nobody can be asked, and says how to', async () => {
    const { exit, runs, asked, lines } = await after({});
    expect([exit, runs.length, asked, lines.out]).toEqual(['complete', 1, [], 'run 1\n']);
    expect(lines.err).toBe(
      'The other 95 rows are not sent: there is no terminal to ask on. To send them after the sample, run the same command with --yes.\n',
    );
  });

  it('sends them with --yes, unless rows of the sample did not succeed', async () => {
    expect((await after({ flags: { yes: true } })).runs).toHaveLength(2);
    const { exit, runs, lines } = await after({ flags: { yes: true }, exit: 'failures', isTerminal: true });
    expect([exit, runs.length]).toEqual(['failures', 1]);
    expect(lines.err).toContain('not every row of the sample succeeded');
  });

  it('asks nothing where no row was left out, or the sample has not ended', async () => {
    const { runs, asked, lines } = await after({ pilot: undefined, isTerminal: true, exit: 'unfinished' });
    expect([runs.length, asked, lines.err]).toEqual([1, [], '']);
  });

  it.each([
    [{ sample: undefined, seed: undefined }, '--confirm-after-sample needs --sample.'],
    [{ detach: true }, '--confirm-after-sample cannot be combined with --detach.'],
  ])('makes no sense with %p', (flags, words) => expect(after({ flags: flags as Flags })).rejects.toThrow(words));
});
