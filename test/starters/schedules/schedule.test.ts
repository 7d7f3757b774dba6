import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { expectRefused, expectRun, json, placeForEach } from '../command-line.ts';

placeForEach();

describe('schedule', () => {
  it('list says that there is none yet, which is no error, and starts nothing', async () => {
    process.env['VOXBATCH_HOME'] = join(process.cwd(), 'home');
    const err = 'There is no schedule here yet. Make one: voxbatch schedule create NAME MANIFEST';
    await expectRun('schedule list', 0, { out: '', err });
    expect(await json('schedule list')).toMatchObject({ code: 0, value: [] });
    expect(existsSync('home')).toBe(false);
  });

  it.each([
    ['a/b lines.csv --every 1d', 'Option name: expected at most 79 letters'],
    ['n lines.csv', 'Option --every: expected one of --every, --cron, but got none of them'],
    ['n lines.csv --every 1d --timezone +01:00', 'Option --timezone: expected a name'],
    ['n lines.csv --every 1d --catch-up 5s', 'Option --catch-up: expected a length of time'],
    ['n http://example.org/lines.csv --every 1d', '(http:// is for loopback), but got a http: URL'],
    ['n ftp://example.org/lines.csv --every 1d', 'got a ftp: URL'],
    ['n gone.csv --every 1d --check', 'cannot read the manifest'],
    ['n - --every 1d', 'got standard input'],
    ['n lines.csv --every 1d --notify example.org', 'expected an http or https URL'],
  ])('create %s is refused, and spends nothing', async (words, message) => {
    await expectRefused(`schedule create ${words}`, message);
  });

  it('create is refused with a cron of six fields', async () => {
    await expectRefused(['schedule create n lines.csv --cron', '0 0 2 * * *'], 'Option --cron: expected five fields');
  });

  it.each([
    ['a flag', '--trim-silence', '{}'],
    ['the config file', '', '{"finish":{"trimSilence":true}}'],
  ])(
    'create refuses sound that this machine cannot finish, as %s asks for, for at night nobody sees it',
    async (_, flags, config) => {
      await writeFile('voxbatch.config.json', config);
      await writeFile('lines.csv', 'id,text,voice\na,Hello there,v1\n');
      process.env['VOXBATCH_FFMPEG'] = '/no/ffmpeg';
      await expectRefused(`schedule create n lines.csv --every 1d ${flags}`, 'VOXBATCH_FFMPEG');
    },
  );

  it('create --check of a pattern without files says once that nothing was spent', async () => {
    const { stderr } = await expectRefused('schedule create n gone/*.csv --every 1d --check', 'no file matches');
    expect(stderr.match(/Nothing was spent/g)).toHaveLength(1);
  });

  it.each([
    ['--to 2026-12-01T00:00Z', '--from: expected a date and time with its zone'],
    ['--from 2026-12-02T00:00Z --to 2026-12-01T00:00Z', '--to: expected a time that is not before --from'],
    ['--from 2026-01-01T00:00Z --to 2099-01-01T00:00Z', '--to: expected a time that has passed'],
  ])('backfill with %s is refused', (words, message) => expectRun(`schedule backfill n ${words}`, 2, message));
});
