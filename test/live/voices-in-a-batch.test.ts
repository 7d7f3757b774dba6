import { beforeAll, describe, expect, it } from '@jest/globals';
import { encodeSilence } from '../../simulator/media/encode-wav.ts';
import { LiveWorld } from '../support/live-world.ts';

const VOICES = 10;
const ROWS_A_VOICE = 5;
const ROWS = VOICES * (1 + ROWS_A_VOICE);
/** Paid requests on the wire at once, by default: what a kill can leave in doubt. */
const SUBMITS = 8;
const NUMBERS = Array.from({ length: VOICES }, (_, at) => String(at + 1));

describe('a manifest that makes voices and uses them', () => {
  let world: LiveWorld;

  beforeAll(async () => {
    world = await LiveWorld.open({
      ...{ seed: 53, createMs: [20, 60], jobMs: [100, 300], trainMs: [1_000, 2_000] },
      shape: 'voice.training=status',
    });
    await world.write('sample.wav', Buffer.from(encodeSilence(1)));
    await world.configure({ polling: { firstLookMs: 200, gapMs: 200 } });
    // The rows that wait come first.
    const lines = [
      'id,name,samples,text,voice',
      ...NUMBERS.flatMap((n) =>
        Array.from({ length: ROWS_A_VOICE }, (_, at) => `s${n}-${String(at)},,,Line ${String(at)}.,name:voice ${n}`),
      ),
      ...NUMBERS.map((n) => `v${n},Voice ${n},sample.wav,,`),
    ];
    await world.write('lines.csv', `${lines.join('\n')}\n`);
  });

  it('says before which rows wait for which', async () => {
    const { code, stdout } = await world.run(['plan', 'lines.csv', '--json']);
    expect(code).toBe(0);
    const { waits } = JSON.parse(stdout) as { readonly waits: readonly unknown[] };
    expect(waits).toHaveLength(VOICES);
    expect(waits[0]).toEqual({ voice: 'name:Voice 1', row: 51, line: 52, rows: ROWS_A_VOICE, first_line: 2 });
  });

  it('makes each once, and pays for no row twice, although it is killed while it makes them and while it speaks', async () => {
    let run = world.start(['run', 'lines.csv', '--yes']);
    for (const charges of [VOICES / 2, VOICES + ROWS_A_VOICE]) {
      await world.untilCharged(charges);
      await run.kill();
      run = world.start(['run', 'lines.csv', '--yes']);
    }
    const { code } = await run.ended;
    const results = [...(await world.results('lines')).values()];
    const ended = (outcome: string): number => results.filter((row) => row['_outcome'] === outcome).length;
    const unknown = ended('unknown');
    // A kill may cut an upload off before it is charged: no list has that voice, its row is unknown, and the rows that speak with it have failed for now.
    const doubtful = results
      .filter((row) => row['name'] !== '' && row['_outcome'] === 'unknown')
      .map(({ name }) => name);
    const voiceless = results.filter(({ voice }) =>
      doubtful.some((name) => voice === `name:${String(name).toLowerCase()}`),
    );
    expect(voiceless).toHaveLength(doubtful.length * ROWS_A_VOICE);
    expect(voiceless.map((row) => row['_outcome'])).toEqual(voiceless.map(() => 'failed'));
    expect({ rows: results.length, ended: ended('succeeded') + unknown }).toEqual({
      rows: ROWS,
      ended: ROWS - voiceless.length,
    });
    expect(code).toBe(unknown > 0 ? 13 : 0);
    expect(unknown).toBeLessThanOrEqual(2 * SUBMITS);
    const made = world.simulator.ledger().filter(({ operation }) => operation === 'voice');
    expect(new Set(made.map(({ name }) => name)).size).toBe(made.length);
    expect(new Set([...made.map(({ name }) => name), ...doubtful])).toEqual(new Set(NUMBERS.map((n) => `Voice ${n}`)));
    // Nobody spoke before the training of the voice was over: the API would have refused that.
    const { endpoints } = await world.statistics();
    expect(endpoints['POST /speech/tts/jobs']?.['400']).toBeUndefined();
    const ids = new Set(made.map(({ jobId }) => jobId));
    const spoken = world.simulator.ledger().flatMap(({ voiceId }) => voiceId ?? []);
    expect(spoken.filter((id) => !ids.has(id))).toEqual([]);
    expect(await world.run(['verify', 'out/lines'])).toMatchObject({ code: 0 });
  });
});
