/** @slow */
import { describe, expect, it } from '@jest/globals';
import { LOG_EVENTS } from '../../contract/log-events.ts';
import { LiveWorld } from '../support/live-world.ts';

type Line = Readonly<Record<string, unknown>>;

/** The lines of a log in JSON; fails where one is none, or is about something that the guide does not name. */
function linesOf(log: string): readonly Line[] {
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  for (const line of lines) {
    expect(line).toMatchObject({ time: expect.any(Number), level: expect.any(Number), msg: expect.any(String) });
    expect(Object.keys(LOG_EVENTS)).toContain(line['event']);
  }
  return lines;
}

/**
 * What a program loads before ours that does something in the middle of the work: a second after ours has taken hold of stderr, however long it
 * takes to load.
 */
const inTheMiddle = (code: string): string => `
  const { write } = process.stderr;
  const look = setInterval(() => {
    if (process.stderr.write === write) return;
    clearInterval(look);
    setTimeout(() => { ${code} }, 1000).unref();
  }, 20).unref();`;
/** Warns, and prints something. */
const NOISY = inTheMiddle("process.emitWarning('odd'); console.error('noise');");
const DYING = inTheMiddle("throw new Error('nobody caught this');");

function loading(code: string): NodeJS.ProcessEnv {
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` };
}

describe('--log json', () => {
  it('tells a batch from its start to its end with ids and no text, and nothing in between is plain text', async () => {
    const world = await LiveWorld.open({
      rows: 12,
      kinds: ['tts'],
      jobMs: [1_500, 2_500],
      plan: { rules: [{ on: 'create', match: { nth: 3 }, fault: { kind: 'status', status: 400 }, times: 1 }] },
    });
    const { code, stdout, stderr } = await world.run(['run', 'lines.csv', '--log', 'json', '--yes'], {
      env: loading(NOISY),
    });
    expect({ code, stdout }).toEqual({ code: 10, stdout: '' });
    const lines = linesOf(stderr);
    const batch = lines.filter(({ event }) => event === 'batch');
    expect(batch).toMatchObject([
      { is: 'start', batch: 'lines', by_type: 'person', workflow_id: expect.stringContaining(' lines') },
      { is: 'end', level: 40, exit: 'failures', outcomes: { succeeded: 11, failed: 1 } },
    ]);
    expect(lines.find(({ event }) => event === 'lane')).toMatchObject({ is: 'taken', run_id: expect.any(String) });
    const rows = lines.filter(({ event }) => event === 'row');
    expect(rows).toMatchObject([{ level: 40, outcome: 'failed', failure: 'BadRequest', status: 400 }]);
    expect(typeof rows[0]?.['id']).toBe('string');
    expect(lines).toContainEqual(expect.objectContaining({ event: 'warning', level: 40, msg: 'odd' }));
    expect(lines).toContainEqual(expect.objectContaining({ event: 'stderr', level: 40, msg: 'noise' }));
    for (const secret of [world.simulator.token, 'Line number', 'http://127.0.0.1:9'])
      expect(stderr).not.toContain(secret);
  });

  it('ends with a line of its own where a worker is told to end', async () => {
    const world = await LiveWorld.open();
    const up = await world.startWorking(['up', '--log', 'json']);
    up.child.kill('SIGTERM');
    const { code, stderr } = await up.ended;
    expect(code).toBe(0);
    expect(linesOf(stderr).at(-1)).toMatchObject({ event: 'stopped', level: 30, exit: 'complete', exit_code: 0 });
  });

  it('tells a crash, and why a command could not begin', async () => {
    const world = await LiveWorld.open();
    const crashed = await world.run(['up', '--log', 'json'], { env: loading(DYING) });
    expect({ code: crashed.code, stdout: crashed.stdout }).toEqual({ code: 1, stdout: '' });
    expect(linesOf(crashed.stderr).at(-1)).toMatchObject({ event: 'crash', level: 60, msg: 'nobody caught this' });

    const away = await world.run(['worker', '--log', 'json'], {
      env: { VOXBATCH_API_URL: 'http://127.0.0.1:9/api/open/v1' },
    });
    expect(away).toMatchObject({ code: 4, stdout: '' });
    expect(linesOf(away.stderr).at(-1)).toMatchObject({ event: 'failed', level: 50, exit: 'api-away', exit_code: 4 });
  });
});
