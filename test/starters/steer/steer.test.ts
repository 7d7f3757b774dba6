/** @slow */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { aBatch, aKey, aRow, INTENT } from '../../ledger/setup.ts';
import { accept, invocationForEach, find, NO_CREDITS, ROWS, STATES, standing, type State } from '../steering.ts';
import { run, json } from '../command-line.ts';

const invocation = invocationForEach();

const COMMANDS = {
  pause: ['pause'],
  resume: ['resume', 'b'],
  stop: ['stop'],
  'stop --now': ['stop', 'b', '--now'],
  tune: ['tune', '--budget', '500', '--rate', '7'],
} as const;
type Command = keyof typeof COMMANDS;

/** What becomes of the batch where nobody works on it; what is not named stays. */
const EXPECTED: Readonly<Record<Command, Partial<Record<State, object>>>> = {
  pause: { untouched: { control: 'paused' }, running: { control: 'paused' } },
  resume: {
    paused: { control: 'running' },
    'out of credits': { control: 'running', pauseReason: null },
    'token refused': { control: 'running', pauseReason: null },
  },
  // The job of row 1 is still to be fetched.
  stop: {
    untouched: { control: 'stopping', state: 'closed', ended: { cancelled: ROWS } },
    running: { control: 'stopping', ended: { cancelled: ROWS - 1 } },
    paused: { control: 'stopping', ended: { cancelled: ROWS - 1 } },
    'out of credits': { control: 'stopping', ended: { cancelled: ROWS - 1 } },
    'token refused': { control: 'stopping', ended: { cancelled: ROWS - 1 } },
  },
  'stop --now': {
    untouched: { control: 'stopping', state: 'closed', ended: { cancelled: ROWS } },
    ...Object.fromEntries(
      ['running', 'paused', 'out of credits', 'token refused', 'stopping'].map((state) => [
        state,
        { control: 'stopping', state: 'closed', ended: { cancelled: ROWS - 1, overdue: 1 } },
      ]),
    ),
    halting: { control: 'stopping', state: 'closed', ended: { cancelled: ROWS - 2, failed: 1, overdue: 1 } },
  },
  tune: {},
};

const TIMES = ['once', 'twice', 'by two clients at once'] as const;

const CASES = (Object.keys(COMMANDS) as Command[]).flatMap((command) =>
  (Object.keys(STATES) as State[]).flatMap((state) => TIMES.map((times) => ({ command, state, times }))),
);

describe('steering where nobody works', () => {
  it.each(CASES)('$command, $state, $times', async ({ command, state, times }) => {
    const { ledger } = invocation;
    await STATES[state](ledger);
    const before = await standing(ledger);
    const words = COMMANDS[command];
    const ends =
      times === 'by two clients at once'
        ? await Promise.all([run(...words), run(...words)])
        : times === 'twice'
          ? [await run(...words), await run(...words)]
          : [await run(...words)];
    const after = await standing(ledger);
    if (state === 'loading') {
      for (const { code, stderr } of ends) {
        expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('still loading') });
      }
      expect(after).toEqual(before);
      return;
    }
    for (const { code, stderr } of ends) {
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining(command === 'tune' ? 'pplies' : '"b"'),
      });
    }
    expect(after).toMatchObject({
      ...before,
      ...EXPECTED[command][state],
      ...(command === 'tune' ? tuned(before) : {}),
    });
  });

  it('says that there is no such batch (2)', async () => {
    await STATES.untouched(invocation.ledger);
    for (const words of Object.values(COMMANDS)) {
      const [command, ...flags] = words;
      const { code, stderr } = await run(command, 'other', ...flags.filter((word) => word !== 'b'));
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('no batch "other"') });
    }
  });

  it('makes nothing where there is no ledger', async () => {
    env['VOXBATCH_HOME'] = join(invocation.line.folder, 'home');
    for (const words of Object.values(COMMANDS)) expect(await run(...words)).toMatchObject({ code: 2 });
    expect(existsSync('home')).toBe(false);
  });

  it('writes a wish down although Temporal cannot be told, and says so (4)', async () => {
    await STATES.running(invocation.ledger);
    // Both are loaded before they run at once: Jest cannot link two modules that share a third at the same time.
    for (const command of ['pause', 'tune']) expect(await run(command, 'other')).toMatchObject({ code: 2 });
    // The discard port: nobody listens there.
    env['TEMPORAL_ADDRESS'] = '127.0.0.1:9';
    const ends = await Promise.all([run('pause'), run('tune', '--rate', '3')]);
    for (const { code, stderr } of ends) {
      // gRPC itself would try again for 10 s: "Failed to connect before the deadline".
      const why =
        /It is recorded.* cannot be reached: (connect ECONNREFUSED 127\.0\.0\.1:9|no connection was made)\. Check/u;
      expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringMatching(why) });
    }
    expect(await find(invocation.ledger)).toMatchObject({ control: 'paused', settings: { limits: { rate: 3 } } });
  });

  it('keeps a stop, whoever else wishes what at the same time', async () => {
    await STATES.running(invocation.ledger);
    const words = [
      ['stop'],
      ['pause'],
      ['resume'],
      ['tune', '--window', '3'],
      ['stop', '--now'],
      ['tune', '--retakes', '2'],
    ];
    const ends = await Promise.all(words.map((each) => run(...each)));
    expect(ends.map(({ code }) => code)).toEqual(words.map(() => 0));
    expect(await standing(invocation.ledger)).toMatchObject({
      state: 'closed',
      control: 'stopping',
      settings: { limits: { window: 3 }, retakes: 2 },
      ended: { overdue: 1, cancelled: ROWS - 1 },
    });
  });
});

function tuned(before: object): object {
  const { settings } = before as { settings: { limits: object } };
  return { settings: { ...settings, budget: 500, limits: { ...settings.limits, rate: 7 } } };
}

describe('stop', () => {
  it('with --now names every job that runs, what it costs, and how to fetch it', async () => {
    const { ledger } = invocation;
    await STATES.running(ledger);
    await accept(ledger, 3);
    await ledger.intend(aKey(4), INTENT);
    await ledger.settle(aKey(4), { verdict: 'accepted', jobId: 'job-4', credits: 40 }, { state: 'processing' });
    const { code, stdout, stderr } = await run('stop', '--now');
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'row  id  step    job    credits',
        '  1  r1  speech  job-1     ~2.5',
        '  3  r3  speech  job-3     ~2.5',
        '  4  r4  speech  job-4       40',
        '3 jobs are running at the API: about 45 credits, charged now or when they end.\n',
      ].join('\n'),
    );
    expect(stderr).toContain('Batch "b" is stopped');
    expect(stderr).toContain('voxbatch redrive b --where outcome=overdue');

    const again = await json('stop', '--json');
    expect(again.value).toMatchObject({ state: 'closed', credits_of_jobs: 45, on_the_wire: 0 });
    expect(again.value['jobs']).toHaveLength(3);
    expect(again.value['jobs']).toContainEqual({
      row: 4,
      id: 'r4',
      step: 'speech',
      job_id: 'job-4',
      credits: 40,
      credits_kind: 'api',
    });
  });

  it('lists the first 20 jobs and counts the others', async () => {
    const { ledger } = invocation;
    await ledger.createBatch(aBatch());
    await ledger.addRows(
      'b',
      Array.from({ length: 25 }, (_, at) => aRow(at + 1)),
    );
    await ledger.openBatch('b', 25);
    for (let row = 1; row <= 25; row++) await accept(ledger, row);
    const { stdout } = await run('stop', '--now');
    expect(stdout.split('\n')).toHaveLength(1 + 20 + 2 + 1);
    expect(stdout).toContain('and 5 more\n25 jobs are running at the API: about 62.5 credits');
  });

  it('leaves a request without an answer to whoever works on it next', async () => {
    const { ledger } = invocation;
    await STATES.untouched(ledger);
    await ledger.intend(aKey(1), INTENT);
    const { code, stdout, stderr } = await run('stop', '--now');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'None of its jobs is running at the API.\n' });
    expect(stderr).toContain('1 paid request has no recorded answer. Find out what became of it: voxbatch run b.csv');
    expect(await standing(ledger)).toMatchObject({ state: 'open', ended: { cancelled: ROWS - 1 } });
  });
});

describe('what is said', () => {
  it.each([
    ['pause', 'untouched', 'is paused: no more paid requests. It has no worker now'],
    ['pause', 'stopping', 'is stopping; this cannot be undone'],
    ['pause', 'finished', 'is finished; there is nothing to pause'],
    ['resume', 'out of credits', 'continues. It has no worker now. Continue with: voxbatch run b.csv'],
    [
      'stop',
      'running',
      'is stopping: no more paid requests, running jobs are still fetched, the rest is cancelled. It has no worker',
    ],
    ['stop', 'halted', 'is finished; there is nothing to stop'],
  ] as const)('%s, %s', async (command, state, words) => {
    await STATES[state](invocation.ledger);
    const { stderr } = await run(command, 'b');
    expect(stderr).toContain(`Batch "b" ${words}`);
  });

  it('as JSON: what holds', async () => {
    await STATES['out of credits'](invocation.ledger);
    expect(await json('pause', '--json')).toEqual({
      code: 0,
      value: { batch: 'b', state: 'open', control: 'paused', halted: null },
    });
    expect((await find(invocation.ledger)).pauseReason).toEqual(NO_CREDITS);
  });
});
