import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 300;
const VOICES = 10;
const PER_VOICE = ROWS / VOICES;

interface Sum {
  readonly rows: number;
  readonly credits: number;
}

interface PlanJson {
  readonly rows: number;
  readonly requests: number;
  readonly credits: number;
  readonly run: string;
  readonly reasons: {
    readonly cached: Sum & { readonly saved: number };
    readonly new: Sum;
    readonly changed: Sum & {
      readonly groups: readonly (Sum & { readonly changes: unknown; readonly last_batch: string })[];
    };
    readonly again: Sum;
  };
}

/** A catalogue of 300 lines in ten voices; `voiceOf`: another name for one of them. */
function catalogue(voiceOf: (voice: string) => string = (voice) => voice): string {
  const lines = Array.from({ length: ROWS }, (_, at) => {
    return `r${String(at)},Line number ${String(at)} of the catalogue.,${voiceOf(`voice-${String(at % VOICES)}`)}`;
  });
  return `id,text,voice\n${lines.join('\n')}\n`;
}

describe('change one voice in 300 rows of 10 voices', () => {
  let world: LiveWorld;

  beforeEach(async () => {
    world = await LiveWorld.withServer({ seed: 4, createMs: [1, 5], jobMs: [20, 60] });
    await world.write('voxbatch.config.json', JSON.stringify({ polling: { firstLookMs: 200, gapMs: 200 } }));
    await world.write('lines.csv', catalogue());
  });
  afterEach(async () => {
    await world.close();
  });

  const paid = (): number => world.simulator.ledger().length;
  const spent = (): number => world.simulator.ledger().reduce((sum, { credits }) => sum + credits, 0);
  async function plan(...args: readonly string[]): Promise<PlanJson> {
    const { code, stdout } = await world.run(['plan', 'lines.csv', '--json', ...args]);
    expect(code).toBe(0);
    return JSON.parse(stdout) as PlanJson;
  }

  it("pays exactly for that voice's rows, and plan had said so, with that field and price", async () => {
    const before = await plan('--name', 'monday');
    expect(before).toMatchObject({ rows: ROWS, requests: ROWS, reasons: { new: { rows: ROWS } } });
    expect(await world.run(['run', 'lines.csv', '--name', 'monday'])).toMatchObject({ code: 0 });
    expect(paid()).toBe(ROWS);
    const known = await world.run(['plan', 'lines.csv', '--name', 'monday']);
    expect(known.stdout).toContain('It is on record: 300 of 300 rows done. Nothing is left to pay for.');

    await world.write(
      'lines.csv',
      catalogue((voice) => (voice === 'voice-3' ? 'voice-99' : voice)),
    );
    const tuesday = await plan('--name', 'tuesday');
    expect(tuesday).toMatchObject({ rows: ROWS, requests: PER_VOICE, run: 'go' });
    const { cached, changed, new: fresh, again } = tuesday.reasons;
    expect([cached.rows, changed.rows, fresh.rows, again.rows]).toEqual([ROWS - PER_VOICE, PER_VOICE, 0, 0]);
    expect(changed.groups).toEqual([
      expect.objectContaining({
        last_batch: 'monday',
        changes: [{ field: 'voice', from: 'voice-3', to: 'voice-99' }],
        rows: PER_VOICE,
        credits: tuesday.credits,
      }),
    ]);
    const spentBefore = spent();
    expect(cached.saved + tuesday.credits).toBeCloseTo(before.credits, 6);

    const run = await world.run(['run', 'lines.csv', '--name', 'tuesday']);
    expect(run).toMatchObject({ code: 0 });
    expect(run.stderr).toMatch(/voice changed: voice-3 → voice-99 \(last in "monday"\) +30 /);
    const sent = world.simulator.ledger().slice(ROWS);
    expect(sent).toHaveLength(PER_VOICE);
    expect(new Set(sent.map(({ voiceId }) => voiceId))).toEqual(new Set(['voice-99']));
    expect(spent() - spentBefore).toBeCloseTo(tuesday.credits, 6);
    expect(await world.status('tuesday')).toMatchObject({
      outcomes: { succeeded: PER_VOICE, cached: ROWS - PER_VOICE },
      credits: { saved: cached.saved },
    });
    expect(await world.run(['verify', 'tuesday'])).toMatchObject({ code: 0, stderr: '' });

    // Back to the old voice: everything is there still.
    await world.write('lines.csv', catalogue());
    expect(await plan('--name', 'wednesday')).toMatchObject({
      requests: 0,
      credits: 0,
      reasons: { cached: { rows: ROWS } },
    });
    expect(await world.run(['run', 'lines.csv', '--name', 'wednesday'])).toMatchObject({ code: 0 });
    expect(paid()).toBe(ROWS + PER_VOICE);

    expect(world.doubleCharges()).toEqual([]);
  });
});
