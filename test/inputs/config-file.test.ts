import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { ConfigError, readConfig, type Config } from '../../inputs/config-file.ts';
import { manifestFile, withManifest } from './manifest-file.ts';

const NAME = 'voxbatch.config.json';
const read = (content: string): Promise<Config> => withManifest(content, readConfig, NAME);
const refusalOf = async (reading: Promise<unknown>): Promise<string> => {
  const error: unknown = await reading.catch((one: unknown) => one);
  expect(error).toBeInstanceOf(ConfigError);
  return String(error);
};
const refusal = (content: string): Promise<string> => refusalOf(read(content));

describe('readConfig', () => {
  it('takes every setting, and marks given prices as no estimate', async () => {
    const config = {
      api: { url: 'https://api.example/api/open/v1' },
      limits: { rate: 2.5, submits: 4, window: 100, pollRate: null },
      polling: { firstLookMs: 4000, gapMs: 3000, jobDeadlineMinutes: 90 },
      store: 'media',
      trust503: false,
      budget: 500,
      confirmAbove: 0,
      assumeSeconds: 12.5,
      finish: { loudness: -16, trimSilence: true, sampleRate: 48_000, format: 'opus' },
      onUnknown: 'fail',
      retakes: 2,
      resultMember: 'data.clip.href',
    };
    const prices = { 'speech-job': { unit: 'character', credits: 0.4, cjkFactor: 2 } };
    expect(await read(JSON.stringify({ ...config, prices, halt: 'soon,fail=5%' }))).toEqual({
      ...config,
      halt: { when: 'soon', fail: 5, unit: 'percent' },
      prices: { 'speech-job': { ...prices['speech-job'], estimate: false } },
    });
  });

  it('refuses a file that is not UTF-8: names in it would be others', async () => {
    const latin = Buffer.from('{"map":{"speaker":"Erzähler"}}', 'latin1');
    expect(await refusalOf(withManifest(latin, readConfig, NAME))).toContain('is not UTF-8: save it as UTF-8.');
  });

  it('is empty for a file that is not there, and reads one with a byte order mark', async () => {
    expect(await readConfig(`${await manifestFile('')}.none/${NAME}`)).toEqual({});
    expect(await read('\uFEFF{}')).toEqual({});
  });

  it('waits for nobody where the file is a pipe', async () => {
    const pipe = `${await manifestFile('')}.pipe`;
    execFileSync('mkfifo', [pipe]);
    expect(await refusalOf(readConfig(pipe))).toContain('cannot be read: it is no regular file.');
  });

  it.each([
    '{"notify":"https//user:hunter2@hooks.example/x"}',
    '{"notify":"user:hunter2@hooks.example"}',
    '{"notify":{"url":"https:/hooks.example/hunter2"}}',
    '{"api":{"url":"api.example/hunter2"}}',
    '["https//user:hunter2@hooks.example/x"]',
  ])('never shows an address that it cannot read, which may hold a password: %s', async (text) => {
    expect(await refusal(text)).not.toContain('hunter2');
  });

  it.each([
    ['{"limits":{"rate":"fast"}}', /limits\.rate: .*expected number.*got "?.*fast/],
    ['{"limits":{"rate":0}}', /limits\.rate: /],
    ['{"limits":{"submits":1.5}}', /limits\.submits: /],
    ['{"limits":{"lanes":1}}', /limits\.lanes: unknown setting/],
    ['{"limit":{}}', /limit: unknown setting/],
    ['{"prices":{"speech":{"unit":"job","credits":1}}}', /prices.*speech/],
    ['{"prices":{"transcription":{"unit":"minute","credits":1}}}', /prices\.transcription\.unit: /],
    ['{"prices":{"transcription":{"unit":"second","credits":1,"cjkFactor":2}}}', /prices\.transcription\.cjkFactor: /],
    ['{"prices":{"transcription":{"unit":"second","credits":1,"estimate":true}}}', /estimate: unknown setting/],
    ['{"api":{"url":"ftp://api.example"}}', /api\.url: /],
    ['{"trust503":"yes"}', /trust503: /],
    ['{"resultMember":"a..b"}', /resultMember: expected a member such as/],
    ['{"resultMember":[]}', /resultMember: expected a member such as/],
    ['{"budget":0}', /budget: /],
    ['{"confirmAbove":-1}', /confirmAbove: /],
    ['{"assumeSeconds":0}', /assumeSeconds: /],
    ['{"finish":{"loudness":16}}', /finish\.loudness: expected LUFS from -40 to -5.*; got 16/],
    ['{"finish":{"format":"opus","sampleRate":44100}}', /finish\.sampleRate: .* 8000, .* for Opus; got 44100/],
    ['{"finish":{"format":"ogg"}}', /finish\.format: /],
    ['{"finish":{"volume":1}}', /finish\.volume: unknown setting/],
    ['{"halt":"later"}', /halt: expected never, soon,fail=20, soon,fail=5% or now,fail=1; got "?.*later/],
    ['{"onUnknown":"retry"}', /onUnknown: .*hold.*resubmit.*fail/],
    ['{"limits":{"submits":257}}', /limits\.submits: .*256/],
    ['{"limits":{"window":10001}}', /limits\.window: .*10000/],
    ['{"retakes":11}', /retakes: .*10/],
    ['{"retakes":1.5}', /retakes: /],
    ['[]', /whole file/],
    ['{"limits":', /is not JSON/],
    [`{"prices":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, /config\.json has invalid settings: .* at most 100 deep/],
    ['{"store":1,"polling":{"gapMs":0},"extra":true}', /polling\.gapMs: .*\n.*store: .*\n.*extra: unknown setting/],
  ])('refuses %.40s', async (content, message) => {
    expect(await refusal(content)).toMatch(message);
  });

  it.each([
    ['{"api":{"token":"s3cret"}}', 'api.token'],
    ['{"apiKey":"s3cret"}', 'apiKey'],
    ['{"VOXBATCH_API_TOKEN":"s3cret"}', 'VOXBATCH_API_TOKEN'],
    ['{"store":"Bearer s3cret"}', 'store'],
    ['{"api":{"url":"https://me:s3cret@api.example/api/open/v1"}}', 'api.url'],
    ['{"prices":{"speech-job":{"secret":"s3cret"}}}', 'prices.speech-job.secret'],
  ])('refuses a token in %s without repeating it', async (content, field) => {
    const message = await refusal(content);
    expect(message).toContain(`${field}: expected no token`);
    expect(message).toContain('VOXBATCH_API_TOKEN');
    expect(message).not.toContain('s3cret');
  });
});
