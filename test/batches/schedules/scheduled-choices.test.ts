import { describe, expect, it } from '@jest/globals';
import { chooseSettings, type WantedBatch } from '../../../batches/batch-settings.ts';
import { choicesOf, scheduledRunOf } from '../../../batches/schedules/scheduled-choices.ts';
import type { OwnOperation } from '../../../contract/own-operations/own-operation.ts';
import { parseScheduledRun, type ScheduledRun } from '../../../inputs/schedules/scheduled-run.ts';

const DENOISE: OwnOperation = {
  name: 'denoise',
  path: '/sound/denoise',
  answer: 'job',
  result: 'audio',
  columns: { audio: { field: 'audio_url' } },
  price: { unit: 'job', credits: 1 },
};
const PLACE = { manifest: '/work/lines.csv', outFolder: '/work/out', probe: false, confirmAbove: null };

function runOf(wanted: WantedBatch = {}): ScheduledRun {
  return scheduledRunOf(chooseSettings(wanted, {}), PLACE);
}

describe('what a schedule runs', () => {
  it('goes through Temporal and makes the batches that were chosen', () => {
    const wanted: WantedBatch = {
      kind: 'tts',
      defaults: { voice: 'anna' },
      map: { text: 'script' },
      subset: { type: 'sample', rows: 5, seed: 2 },
      assumeSeconds: 9,
      apiDialect: 'legacy=20%',
      join: { column: 'chapter', pause: 0.4 },
      split: 'sentences',
      finish: { loudness: -16, format: 'm4b' },
      tuning: { budget: 50, halt: { when: 'soon', fail: 5, unit: 'percent' }, limits: { rate: 3 } },
    };
    const finish = { trimSilence: true, sampleRate: 48_000 } as const;
    const config = { prices: {}, polling: { gapMs: 500 }, textLimit: 3_000, samples: { files: 8 }, finish };
    const choices = chooseSettings(wanted, config);
    expect(choices.settings.reading.finish).toEqual({ ...finish, loudness: -16, format: 'm4b' });
    const run = scheduledRunOf(choices, { manifest: '/a', outFolder: '/b', probe: true, confirmAbove: 7 });
    const parsed = parseScheduledRun(JSON.parse(JSON.stringify(run)));
    expect(parsed).toEqual(run);
    expect(parsed === undefined ? undefined : choicesOf(parsed)).toEqual(choices);
  });

  it('has the own operations that its rows may need: a worker of another configuration knows none', () => {
    const run = scheduledRunOf(chooseSettings({}, { operations: [DENOISE] }), PLACE);
    expect(run.operations).toEqual([DENOISE]);
    expect(choicesOf(run).settings.operations).toEqual([DENOISE]);
  });

  it('has no hooks: neither a command nor a secret URL lies in Temporal', () => {
    const run = runOf({ tuning: { onEnd: 'rm -r /', notify: 'https://hooks.example/secret' } });
    expect(JSON.stringify(run)).not.toMatch(/rm -r|secret/);
    expect(choicesOf(run).settings).toMatchObject({ onEnd: null, notify: null });
    expect(parseScheduledRun({ ...run, tunables: { ...run.tunables, onEnd: 'rm -r /' } })).toBeUndefined();
  });

  it('may be older than a setting', () => {
    const { tunables, ...rest } = runOf({ tuning: { budget: 50 } });
    const { retakes, ...older } = tunables;
    const parsed = parseScheduledRun({ ...rest, tunables: older });
    expect(retakes).toBe(0);
    expect(parsed === undefined ? undefined : choicesOf(parsed).settings).toMatchObject({ budget: 50, retakes: 0 });
  });

  it('reads no path that depends on where a worker was started, and no standard input', () => {
    for (const manifest of ['-', 'lines.csv', '../lines.csv', '', 'http://example.org/a.csv', 'https://u:p@h/a.csv']) {
      expect(parseScheduledRun({ ...runOf(), manifest })).toBeUndefined();
    }
    expect(parseScheduledRun({ ...runOf(), outFolder: 'out' })).toBeUndefined();
  });

  it.each([{}, null, { manifest: '/a' }, 'lines.csv'])('is not %j', (value) => {
    expect(parseScheduledRun(value)).toBeUndefined();
  });

  it('is not one with a setting that is none', () => {
    const run = runOf();
    expect(parseScheduledRun({ ...run, tunables: { ...run.tunables, submits: 0 } })).toBeUndefined();
    expect(parseScheduledRun({ ...run, tunables: { ...run.tunables, budget: '50' } })).toBeUndefined();
    expect(parseScheduledRun({ ...run, more: 1 })).toBeUndefined();
  });
});
