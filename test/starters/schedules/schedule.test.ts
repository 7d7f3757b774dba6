import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { placeForEach } from '../place-for-each.ts';
import { run, json } from '../command-line.ts';

const invocation = placeForEach();

describe('schedule', () => {
  it('list says that there is none yet, which is no error, and starts nothing', async () => {
    process.env['VOXBATCH_HOME'] = join(invocation.line.folder, 'home');
    const { code, stdout, stderr } = await run('schedule', 'list');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('There is no schedule here yet. Make one: voxbatch schedule create NAME MANIFEST');
    expect(await json('schedule', 'list', '--json')).toMatchObject({ code: 0, value: [] });
    expect(existsSync('home')).toBe(false);
  });

  it.each([
    [['a/b', 'lines.csv', '--every', '1d'], 'Option name: expected at most 79 letters'],
    [['n', 'lines.csv'], 'Option --every: expected one of --every, --cron, but got none of them'],
    [['n', 'lines.csv', '--cron', '0 0 2 * * *'], 'Option --cron: expected five fields'],
    [['n', 'lines.csv', '--every', '1d', '--timezone', '+01:00'], 'Option --timezone: expected a name'],
    [['n', 'lines.csv', '--every', '1d', '--catch-up', '5s'], 'Option --catch-up: expected a length of time'],
    [['n', 'http://example.org/lines.csv', '--every', '1d'], '(http:// is for loopback), but got a http: URL'],
    [['n', 'ftp://example.org/lines.csv', '--every', '1d'], 'got a ftp: URL'],
    [['n', 'gone.csv', '--every', '1d', '--check'], 'cannot read the manifest'],
    [['n', '-', '--every', '1d'], 'got standard input'],
    [['n', 'lines.csv', '--every', '1d', '--notify', 'example.org'], 'expected an http or https URL'],
  ])('create %j is refused, and spends nothing', async (words, message) => {
    const { code, stdout, stderr } = await run('schedule', 'create', ...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/Nothing was (changed, nothing was )?spent/);
  });

  it.each([
    ['a flag', ['--trim-silence'], '{}'],
    ['the config file', [], '{"finish":{"trimSilence":true}}'],
  ])(
    'create refuses sound that this machine cannot finish, as %s asks for, for at night nobody sees it',
    async (_, flags, config) => {
      await writeFile('voxbatch.config.json', config);
      await writeFile('lines.csv', 'id,text,voice\na,Hello there,v1\n');
      process.env['VOXBATCH_FFMPEG'] = '/no/ffmpeg';
      const { code, stderr } = await run('schedule', 'create', 'n', 'lines.csv', '--every', '1d', ...flags);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('VOXBATCH_FFMPEG') });
      expect(stderr).toContain('Nothing was spent');
    },
  );

  it('create --check of a pattern without files says once that nothing was spent', async () => {
    const { stderr } = await run('schedule', 'create', 'n', 'gone/*.csv', '--every', '1d', '--check');
    expect(stderr).toContain('no file matches');
    expect(stderr.match(/Nothing was spent/g)).toHaveLength(1);
  });

  it.each([
    [['--to', '2026-12-01T00:00Z'], '--from: expected a date and time with its zone'],
    [['--from', '2026-12-02T00:00Z', '--to', '2026-12-01T00:00Z'], '--to: expected a time that is not before --from'],
  ])('backfill with %j is refused', async (words, message) => {
    const { code, stderr } = await run('schedule', 'backfill', 'n', ...words);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
