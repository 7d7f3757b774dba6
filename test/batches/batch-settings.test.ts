import { describe, expect, it } from '@jest/globals';
import {
  asRecorded,
  chooseSettings,
  givesReading,
  type BatchChoices,
  type WantedBatch,
} from '../../batches/batch-settings.ts';
import { BUILT_IN_PRICES } from '../../contract/row-kinds.ts';
import type { Config } from '../../inputs/config-file.ts';
import { DEFAULT_TUNABLES } from '../../contract/tunables.ts';

it('has a default for everything', () => {
  const reading = { kind: null, defaults: {}, map: {}, anyCase: true, tts: 'job' };
  const { manifest, settings } = chooseSettings({}, {});
  expect(manifest).toEqual({
    defaults: {},
    map: {},
    anyCase: true,
    tts: 'job',
    strict: false,
    subset: null,
    nameTemplate: '{id}.{ext}',
    prices: BUILT_IN_PRICES,
  });
  expect(settings).toEqual({
    ...DEFAULT_TUNABLES,
    submitsByRows: true,
    reading,
    tts: 'job',
    prices: BUILT_IN_PRICES,
    nameTemplate: '{id}.{ext}',
    safeIds: true,
    firstLookMs: 3_000,
    pollGapMs: 3_000,
    jobDeadlineMs: 7_200_000,
    trust503: true,
  });
});

it('takes what the configuration says, and before that what is wanted', () => {
  const speech = { unit: 'character', credits: 2, estimate: false } as const;
  const config = {
    budget: 50,
    retakes: 2,
    assumeSeconds: 9,
    limits: { rate: 3 },
    prices: { 'speech-job': speech },
    polling: { gapMs: 500, jobDeadlineMinutes: 1 },
    trust503: false,
  };
  const wanted = { kind: 'tts', assumeSeconds: 4, nameTemplate: '{row}.{ext}', tuning: { budget: 70 } } as const;
  const { manifest, settings } = chooseSettings(wanted, config);
  expect(manifest).toMatchObject({ kind: 'tts', assumeSeconds: 4, nameTemplate: '{row}.{ext}' });
  expect(manifest.prices['speech-job']).toEqual(speech);
  expect(settings).toMatchObject({
    reading: { kind: 'tts' },
    budget: 70,
    retakes: 2,
    limits: { ...DEFAULT_TUNABLES.limits, rate: 3 },
    pollGapMs: 500,
    firstLookMs: 3_000,
    jobDeadlineMs: 60_000,
    trust503: false,
  });
  expect(chooseSettings({}, config).manifest.assumeSeconds).toBe(9);
});

it('takes the dialect that is wanted, else that of the configuration, and writes v1 down as nothing', () => {
  const shareOf = (wanted: WantedBatch, config: Config): unknown => {
    const { manifest, settings } = chooseSettings(wanted, config);
    expect(settings.reading.legacyShare).toBe(manifest.legacyShare);
    return manifest.legacyShare;
  };
  expect(shareOf({}, {})).toBeUndefined();
  expect(shareOf({}, { apiDialect: 'legacy' })).toBe(1);
  expect(shareOf({ apiDialect: 'legacy=20%' }, { apiDialect: 'legacy' })).toBe(0.2);
  expect(shareOf({ apiDialect: 'v1' }, { apiDialect: 'legacy' })).toBeUndefined();
  expect(givesReading({ apiDialect: 'v1' })).toBe(true);
});

describe('finishing', () => {
  const usual = { loudness: -16, trimSilence: true, format: 'mp3' } as const;
  const settingsOf = (finish: WantedBatch['finish'], config: Config): BatchChoices =>
    chooseSettings(finish === undefined ? {} : { finish }, config);

  it('is that of the configuration, but for what an option asks for', () => {
    const finishOf = (wanted: WantedBatch['finish'], config: Config): unknown =>
      settingsOf(wanted, config).settings.reading.finish;
    expect(finishOf(undefined, {})).toBeUndefined();
    expect(finishOf(undefined, { finish: {} })).toBeUndefined();
    expect(finishOf(undefined, { finish: usual })).toEqual(usual);
    expect(finishOf({ loudness: -20 }, { finish: usual })).toEqual({ ...usual, loudness: -20 });
    expect(finishOf({ loudness: null, trimSilence: false }, { finish: usual })).toEqual({
      trimSilence: false,
      format: 'mp3',
    });
    expect(finishOf({ loudness: null }, { finish: { loudness: -16 } })).toBeUndefined();
    expect(givesReading({ finish: { loudness: null } })).toBe(true);
  });

  it('of a batch on record stays, whatever the configuration says by now, unless an option asks for another', () => {
    const now = settingsOf(undefined, { finish: { sampleRate: 48_000 } });
    const kept = (wantedFinish: WantedBatch['finish']): unknown =>
      asRecorded({ ...now, givesDialect: false, wantedFinish }, settingsOf(usual, {}).settings).settings.reading.finish;
    expect(kept(undefined)).toEqual(usual);
    expect(kept({ loudness: -16 })).toEqual(usual);
    expect(kept({ loudness: -20 })).toEqual({ ...usual, loudness: -20 });
    const without = asRecorded({ ...now, givesDialect: false }, settingsOf(undefined, {}).settings);
    expect(without.settings.reading).toEqual(chooseSettings({}, {}).settings.reading);
  });
});
