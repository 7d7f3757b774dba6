import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { viewExit } from '../../../contract/exit-codes.ts';
import { timed } from '../../../starters/serve/serve.ts';
import { logOf, type Output } from '../../../starters/terminal/output.ts';
import { toJsonLog } from '../../../starters/terminal/json-log.ts';
import { expectRun, lineForEach, run } from '../command-line.ts';

function recording(isTerminal = false): { readonly said: string[]; readonly output: Output } {
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  return {
    said,
    output: { say, data: say, isTerminal, isInteractive: false, hasColour: false, progress: 'bar' },
  };
}

/** Says two things, and logs one of the worker's. */
function work(output: Output): void {
  output.say('Working.');
  output.say('\nEnding.\nwarning: late');
  logOf(output)?.write('{"level":30,"msg":"a lane"}');
}

it('the text of a command that stays is plain lines on a terminal, and lines with their time elsewhere', () => {
  const [here, elsewhere] = [recording(true), recording()];
  work({ ...timed(here.output), isVerbose: true });
  expect(here.said).toEqual(['Working.', '\nEnding.\nwarning: late', '{"level":30,"msg":"a lane"}']);
  work(timed({ ...elsewhere.output, isVerbose: true }));
  expect(elsewhere.said.map((line) => line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /, 'AT '))).toEqual([
    'AT Working.',
    'AT Ending.\nwarning: late',
    '{"level":30,"msg":"a lane"}',
  ]);
});

describe('a log in JSON', () => {
  it('is an object in each line, with what is text for people elsewhere, and draws nothing', () => {
    const { said, output } = recording(true);
    const log = toJsonLog(output, false);
    expect(log).toMatchObject({ isTerminal: false, isInteractive: false, progress: 'plain' });
    work(log);
    log.data('2 rows');
    log.stop?.('complete');
    log.fail?.({ ...viewExit('unfinished'), message: 'It runs already.', next: null });
    const lines = said.map((line) => JSON.parse(line) as Record<string, unknown>);
    const { pid } = process;
    expect(lines).toMatchObject([
      { level: 30, time: expect.any(Number), pid, event: 'message', msg: 'Working.' },
      { level: 30, event: 'message', msg: 'Ending.' },
      { level: 40, event: 'message', msg: 'warning: late' },
      { level: 30, msg: 'a lane' },
      { level: 30, event: 'message', msg: '2 rows' },
      { level: 30, event: 'stopped', exit: 'complete', exit_code: 0, msg: 'Stopped.' },
      {
        level: 50,
        event: 'failed',
        msg: 'It runs already.',
        exit: 'unfinished',
        exit_code: 75,
        retry: expect.any(String),
      },
    ]);
    expect(logOf(log)?.level).toBe('info');
    expect(logOf(toJsonLog({ ...output, isVerbose: true }, false))?.level).toBe('debug');
  });

  it('leaves the data on stdout that a machine asked for', () => {
    const [data, said]: [string[], string[]] = [[], []];
    const output = {
      ...recording().output,
      data: (line: string) => data.push(line),
      say: (line: string) => said.push(line),
    };
    toJsonLog(output, true).data('{}');
    expect([data, said]).toEqual([['{}'], []]);
  });

  describe('of a command line', () => {
    lineForEach();

    it('has also why a command could not begin', async () => {
      for (const flags of ['--log=json --no-such-flag', '--log json']) {
        const ended = await run(...['worker', ...flags.split(' ')]);
        const lines = ended.stderr
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Record<string, unknown>);
        expect(lines.at(-1)).toMatchObject({
          level: 50,
          event: 'failed',
          exit_code: ended.code,
          exit: expect.any(String),
        });
        expect(ended).toMatchObject({ stdout: '', code: flags === '--log json' ? 5 : 2 });
      }
    });

    it('has no cell of a table, which may be a text, where a command could not begin', async () => {
      await writeFile('lines.csv', 'text,voice\nHello,v\n');
      await writeFile('cast.csv', 'name,voice\nLin,name:\n');
      const { stderr } = await run('run lines.csv --cast cast.csv --log json');
      const last = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
      expect(last).toMatchObject({ event: 'failed', msg: expect.stringContaining('got (not in the log)') });
      expect(last['msg']).not.toContain('got name:');
    });

    it('is none where a unit or the help is printed', async () => {
      await expectRun('worker --log json --help', 0, { out: 'Usage: voxbatch worker', err: '' });
    });
  });
});
