/** @slow */
import { writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 24;
const ONE_CREDIT_A_ROW = { prices: { 'speech-job': { unit: 'job', credits: 1 } } };

/** The end of a command that worked on a batch, of its line of JSON. */
interface End {
  readonly exit: string;
  readonly exit_code: number;
  readonly retry: string;
  readonly outcomes: Readonly<Record<string, number>>;
}

let world: LiveWorld;

/** `voxbatch run lines.csv`, with what is different this time. */
async function run(...more: readonly string[]): Promise<{ readonly end: End; readonly stderr: string }> {
  const { stdout, stderr } = await world.run(['run', 'lines.csv', '--yes', '--json', ...more]);
  return { end: JSON.parse(stdout) as End, stderr };
}

describe('the same command again', () => {
  beforeAll(async () => {
    world = await LiveWorld.open({ shape: 'speech.credits=unnamed' });
    await world.confirm({ ...ONE_CREDIT_A_ROW, polling: { firstLookMs: 500, gapMs: 500 } });
    const rows = Array.from({ length: ROWS }, (_, at) => `r${String(at)},Line number ${String(at)}.,voice-1`);
    await writeFile(world.path('lines.csv'), `id,text,voice\n${rows.join('\n')}\n`);
  });

  it('says that nothing goes on at the same budget, and how much is needed; with it, it goes on', async () => {
    await run('--budget', '4');
    const { end, stderr } = await run('--budget', '4');
    expect(end).toMatchObject({ exit: 'skipped', exit_code: 12, retry: 'after-change', outcomes: { succeeded: 4 } });
    expect(stderr).toContain(`To send them: voxbatch run lines.csv --budget ${String(ROWS)}`);
    const more = await run('--budget', '8');
    expect(more.end).toMatchObject({ exit: 'skipped', outcomes: { succeeded: 8, skipped: ROWS - 8 } });
  });

  it('goes on after a kill, into another folder, and pays for each row once', async () => {
    // One at a time, so that nothing is on the wire then, and nothing is in doubt.
    const slow = ['run', 'lines.csv', '--yes', '--budget', '100', '--submits', '1'];
    expect(await world.run(slow, { dieAt: 'before-intent:6' })).toMatchObject({ signal: 'SIGKILL' });
    expect(world.simulator.ledger().length).toBeLessThan(ROWS);
    const { end } = await run('--rate', '50', '--out', 'elsewhere');
    expect(end).toMatchObject({ exit_code: 0, retry: 'no', outcomes: { succeeded: ROWS } });
    expect((await world.read('elsewhere', 'results.csv')).trim().split('\n')).toHaveLength(ROWS + 1);
    expect(world.simulator.ledger()).toHaveLength(ROWS);
  });
});
