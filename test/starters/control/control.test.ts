/** @slow */
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { env } from 'node:process';
import { describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { aKey, fill, INTENT } from '../../ledger/setup.ts';
import { accept, find, NO_CREDITS, ROWS, STATES, standing, type State } from '../reached-states.ts';
import { expectRun, json, placeForEach } from '../command-line.ts';

const place = placeForEach();

const COMMANDS = {
  pause: 'pause',
  resume: 'resume b',
  stop: 'stop',
  'stop --now': 'stop b --now',
  tune: 'tune --budget 500 --rate 7',
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

const TIMES = { once: 1, twice: 2, 'by two clients at once': 2 } as const;

const CASES = (Object.keys(COMMANDS) as Command[]).flatMap((command) =>
  (Object.keys(STATES) as State[]).flatMap((state) =>
    (Object.keys(TIMES) as (keyof typeof TIMES)[]).map((times) => ({ command, state, times })),
  ),
);

describe('controlling a batch where nobody works', () => {
  it.each(CASES)('$command, $state, $times', async ({ command, state, times }) => {
    const { ledger } = place;
    await STATES[state](ledger);
    const before = await standing(ledger);
    const isLoading = state === 'loading';
    const err = isLoading ? 'still loading' : command === 'tune' ? 'pplies' : '"b"';
    const request = (): Promise<unknown> => expectRun(COMMANDS[command], isLoading ? 2 : 0, err);
    if (times === 'by two clients at once') await Promise.all([request(), request()]);
    else for (let time = 0; time < TIMES[times]; time += 1) await request();
    const after = await standing(ledger);
    if (isLoading) expect(after).toEqual(before);
    else {
      const settings = command === 'tune' ? tuned(before) : {};
      expect(after).toMatchObject({ ...before, ...EXPECTED[command][state], ...settings });
    }
  });

  it.each(Object.values(COMMANDS))(
    'says that there is no such batch, or no ledger, and makes nothing (2): %s',
    async (line) => {
      await STATES.untouched(place.ledger);
      const [command = '', ...words] = line.split(' ').filter((word) => word !== 'b');
      await expectRun([command, 'other', ...words], 2, 'no batch "other"');
      env['VOXBATCH_HOME'] = join(process.cwd(), 'home');
      await expectRun(line, 2);
      expect(existsSync('home')).toBe(false);
    },
  );

  it('writes a wish down although Temporal cannot be told, and says so (4)', async () => {
    await STATES.running(place.ledger);
    // The discard port: nobody listens there.
    env['TEMPORAL_ADDRESS'] = '127.0.0.1:9';
    // gRPC itself would try again for 10 s: "Failed to connect before the deadline".
    const why =
      /It is recorded.* cannot be reached: (connect ECONNREFUSED 127\.0\.0\.1:9|no connection was made)\. Check/u;
    await Promise.all(['pause', 'tune --rate 3'].map((line) => expectRun(line, 4, why)));
    expect(await find(place.ledger)).toMatchObject({ control: 'paused', settings: { limits: { rate: 3 } } });
  });

  it('names the server whose workers have the batch, if it is not that of the command', async () => {
    await STATES.running(place.ledger);
    const unlock = await place.ledger.lockForWorkers('namespace default (id-1)');
    const { stderr } = await expectRun(
      'pause',
      0,
      'Its workers are those of another Temporal server, namespace default (id-1)',
    );
    expect(stderr).not.toContain('no worker');
    // They close it.
    await expectRun('stop', 0, 'another Temporal server');
    expect(await find(place.ledger)).toMatchObject({ state: 'open', control: 'stopping' });
    unlock();
  });

  it.each(['out/b', 'elsewhere'])(
    'resumes nothing while %s has paid requests that the ledger lacks (2)',
    async (out) => {
      const { ledger } = place;
      await STATES.paused(ledger);
      await expectRun(`results b --out ${out}`, 75);
      const read = (name: string): Promise<string> => readFile(join(out, name), 'utf8');
      const [receipts, summary] = [await read('receipts.jsonl'), await read('summary.json')];
      // The files of a ledger that is set back: it had sent row 2, too.
      const sent = { ...(JSON.parse(receipts) as object), row: 2, id: 'r2', charged: 12 };
      await writeFile(join(out, 'receipts.jsonl'), `${receipts}${JSON.stringify(sent)}\n`);
      const { newest_request: newest, ...rest } = JSON.parse(summary) as { newest_request: object };
      await writeFile(join(out, 'summary.json'), JSON.stringify({ ...rest, newest_request: { ...newest, row: 2 } }));
      const resume = out === 'out/b' ? 'resume b' : `resume b --out ${out}`;
      const why = [/paid requests of 1 row of batch "b" \(r2\), 12 credits/, 'voxbatch ledger compare-store'];
      await expectRun(resume, 2, why);
      // Written again, the files of before say so.
      await expectRun(`results b --out ${out}`, 75, 'before-copy-');
      await expectRun(resume, 2, [...why, `move ${process.cwd()}/${out}/before-copy-`]);
      expect(await find(ledger)).toMatchObject({ control: 'paused' });
      const [former = ''] = (await readdir(out)).filter((name) => name.startsWith('before-copy-'));
      await rename(join(out, former), 'moved');
      await expectRun(resume, 0, '"b"');
      expect(await find(ledger)).toMatchObject({ control: 'running' });
    },
  );

  it('keeps a stop, whoever else wishes what at the same time', async () => {
    await STATES.running(place.ledger);
    const lines = ['stop', 'pause', 'resume', 'tune --window 3', 'stop --now', 'tune --retakes 2'];
    await Promise.all(lines.map((line) => expectRun(line, 0)));
    expect(await standing(place.ledger)).toMatchObject({
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
    const { ledger } = place;
    await STATES.running(ledger);
    await accept(ledger, 3);
    await ledger.intend(aKey(4), INTENT);
    await ledger.settle(aKey(4), { verdict: 'accepted', jobId: 'job-4', credits: 40 }, { state: 'processing' });
    const err = ['Batch "b" is stopped', 'voxbatch redrive b --where outcome=overdue'];
    const { stdout } = await expectRun('stop --now', 0, err);
    expect(stdout).toBe(
      [
        'row  id  step    job    credits',
        '  1  r1  speech  job-1     ~2.5',
        '  3  r3  speech  job-3     ~2.5',
        '  4  r4  speech  job-4       40',
        '3 jobs are running at the API: about 45 credits, charged now or when they end.\n',
      ].join('\n'),
    );
    const { value } = await json('stop');
    expect(value).toMatchObject({ state: 'closed', credits_of_jobs: 45, in_flight: 0 });
    expect(value['jobs']).toHaveLength(3);
    const fourth = { row: 4, id: 'r4', step: 'speech', job_id: 'job-4', credits: 40, credits_kind: 'api' };
    expect(value['jobs']).toContainEqual(fourth);
  });

  it('lists the first 20 jobs and counts the others', async () => {
    const { ledger } = place;
    await fill(ledger, 25);
    for (let row = 1; row <= 25; row++) await accept(ledger, row);
    const out = 'and 5 more\n25 jobs are running at the API: about 62.5 credits';
    const { stdout } = await expectRun('stop --now', 0, { out });
    expect(stdout.split('\n')).toHaveLength(1 + 20 + 2 + 1);
  });

  it('leaves a request without an answer to whoever works on it next', async () => {
    const { ledger } = place;
    await STATES.untouched(ledger);
    await ledger.intend(aKey(1), INTENT);
    const err = '1 paid request has no recorded answer. Find out what became of it: voxbatch run b.csv';
    await expectRun('stop --now', 0, { out: /^None of its jobs is running at the API\.\n$/, err });
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
      'is stopping: no more paid requests, running jobs are still fetched, the rest is cancelled. This cannot be undone; ' +
        'once it has ended, to send the rest after all: voxbatch redrive b --where outcome=cancelled. It has no worker now.',
    ],
    [
      'stop',
      'untouched',
      'is stopped; unsent rows are cancelled. This cannot be undone. To send them after all: voxbatch redrive b --where outcome=cancelled\n',
    ],
    ['stop', 'halted', 'is finished; there is nothing to stop'],
  ] as const)('%s, %s', async (command, state, words) => {
    await STATES[state](place.ledger);
    await expectRun(`${command} b`, 0, `Batch "b" ${words}`);
  });

  it.each([
    ['token refused', 5, /again at once\..*: the API refused the token .*Set VOXBATCH_API_TOKEN, then run/s],
    ['out of credits', 12, /again at once\..*: out of credits .*Top up the account/s],
  ] as const)('resume, while the cause holds: %s', async (state, code, words) => {
    await STATES[state](place.ledger);
    const { pauseReason } = await find(place.ledger);
    // A worker that tries at once, and pauses it again.
    const raw = new Database(place.ledger.place);
    raw.exec(`create trigger tries after update of control on batches when new.control = 'running' begin
      update batches set control = 'paused', pause_reason = '${JSON.stringify(pauseReason)}' where name = new.name; end`);
    raw.close();
    await expectRun('resume b', code, words);
  });

  it('on a cluster: where the token is set, and what works on a batch', async () => {
    env['TEMPORAL_ADDRESS'] = '127.0.0.1:9';
    await STATES['token refused'](place.ledger);
    const out = /The workers have it: set VOXBATCH_API_TOKEN .* there, start them again, then: voxbatch resume b/;
    await expectRun('status b', 5, { out });
    await place.ledger.setControl('b', 'running');
    await expectRun('status b', 75, { out: /voxbatch worker/, not: /voxbatch run/ });
  });

  it('as JSON: what holds', async () => {
    await STATES['out of credits'](place.ledger);
    const value = { batch: 'b', state: 'open', control: 'paused', halted: null };
    expect(await json('pause')).toEqual({ code: 0, value });
    expect((await find(place.ledger)).pauseReason).toEqual(NO_CREDITS);
  });
});
