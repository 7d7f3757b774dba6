import { expect, it } from '@jest/globals';
import { asRecorded, chooseSettings, isSameReading } from '../../batches/batch-settings.ts';
import type { Reading } from '../../contract/batch.ts';
import { withConfig } from '../../batches/manifest-config.ts';
import { choicesOf, scheduledRunOf } from '../../batches/schedules/scheduled-choices.ts';
import { parseScheduledRun } from '../../inputs/schedules/scheduled-run.ts';

const CONFIG = {
  map: { text: 'Sprechtext', id: 'Nr' },
  voice: 'usual',
  fileName: '{id}.{ext}',
  join: 'Szene',
  cast: 'cast.csv',
  manifests: { 'trailer.csv': { map: { id: 'Cue' }, cast: null, join: { column: 'Akt', pause: 1 } } },
};

it('fills what no option says: first for the name of the file, then for all', () => {
  expect(withConfig({}, CONFIG, 'drop/lines.csv')).toEqual({
    wanted: {
      map: {},
      defaults: { voice: 'usual' },
      nameTemplate: '{id}.{ext}',
      join: { column: 'Szene', pause: 0 },
      cast: 'cast.csv',
    },
    mapIfThere: { text: 'Sprechtext', id: 'Nr' },
    isConfigured: true,
  });
  expect(withConfig({}, CONFIG, 'drop/trailer.csv')).toMatchObject({
    wanted: { map: { id: 'Cue' }, join: { column: 'Akt', pause: 1 } },
    mapIfThere: { text: 'Sprechtext' },
  });
  expect(withConfig({}, CONFIG, 'trailer.csv').wanted).not.toHaveProperty('cast');
  expect(withConfig({}, {}, 'trailer.csv')).toMatchObject({ mapIfThere: {}, isConfigured: false });
});

it('gives way to options, of maps column by column', () => {
  const options = {
    map: { text: 'Script' },
    defaults: { voice: 'mine', format: 'wav' },
    join: { column: 'Bild', pause: 2 },
    cast: 'other.csv',
    nameTemplate: '{row}.{ext}',
  };
  const { wanted, mapIfThere } = withConfig(options, CONFIG, 'trailer.csv');
  expect(wanted).toEqual({ ...options, map: { text: 'Script', id: 'Cue' } });
  expect(mapIfThere).toEqual({});
});

const CAST = { from: 'cast.csv', members: [{ name: 'Lin', values: { voice: 'v1', 'api.emotion': 'happy' } }] };

it('is kept by a schedule, cast and all', () => {
  const choices = chooseSettings({}, {}, { cast: CAST, mapIfThere: { id: 'Nr' } });
  const place = { manifest: '/lines.csv', outFolder: '/out', probe: false, confirmAbove: null };
  const run = parseScheduledRun(JSON.parse(JSON.stringify(scheduledRunOf(choices, place))));
  const again = run && choicesOf(run);
  expect(again?.manifest).toMatchObject({ cast: CAST, mapIfThere: { id: 'Nr' }, anyCase: true });
  expect(again?.settings.reading).toEqual(choices.settings.reading);
});

it('compares casts by what they say, and headers as when the batch was made', () => {
  const { reading } = chooseSettings({}, {}, { cast: CAST }).settings;
  expect(isSameReading(reading, { ...reading, cast: { ...CAST, from: 'else.csv' } })).toBe(true);
  expect(isSameReading(reading, { ...reading, cast: { ...CAST, members: [] } })).toBe(false);
  const before: Reading = { kind: null, defaults: {}, map: {}, tts: 'job' };
  const recorded = asRecorded({ ...chooseSettings({}, {}), givesDialect: true }, { reading: before });
  expect(recorded.manifest.anyCase).toBeUndefined();
  expect(recorded.settings.reading).toEqual(before);
});
