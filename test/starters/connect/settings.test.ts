import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readApiAccess, readSettings } from '../../../starters/connect/settings.ts';
import { openCommandLine, type CommandLine, run, json } from '../command-line.ts';

let line: CommandLine;
beforeEach(async () => {
  line = await openCommandLine({ VOXBATCH_API_URL: 'http://127.0.0.1:9/api/open/v1', VOXBATCH_API_TOKEN: 'token' });
  await writeFile('lines.csv', 'text,voice\nHello,anna\n');
});
afterEach(() => line.close());

/** Wrong settings: exit code 2, nothing made, no password repeated. */
async function refusal(): Promise<string> {
  const { code, stdout, stderr } = await run('run', 'lines.csv');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('Nothing was recorded. Nothing was spent.');
  expect(stderr).not.toContain('secret');
  for (const made of ['s3:', 'out', '.voxbatch']) expect(existsSync(made)).toBe(false);
  return stderr;
}

describe('a place that is not delivered yet', () => {
  it.each(['s3://bucket/prefix', 'S3://secret@bucket', 'gs://bucket/secret', 'file:///tmp/secret'])(
    'is refused as a store: %s',
    async (place) => {
      process.env['VOXBATCH_STORE'] = place;
      expect(await refusal()).toMatch(/VOXBATCH_STORE: .*expected the path of a folder/);
    },
  );

  it('is refused as the store of the config file', async () => {
    await writeFile('voxbatch.config.json', '{"store":"s3://bucket/prefix"}');
    expect(await refusal()).toMatch(/"store" in voxbatch.config.json: .*S3 is not supported yet/);
  });

  it.each(['postgres://user:secret@host/db', 'mysql://user:secret@host/db'])(
    'is refused as a ledger: %s',
    async (place) => {
      process.env['VOXBATCH_LEDGER'] = place;
      expect(await refusal()).toMatch(/VOXBATCH_LEDGER: .*expected the path of a database file/);
    },
  );
});

describe('a config file with a setting that there is not', () => {
  it('is refused with the name, and what to do', async () => {
    await writeFile('voxbatch.config.json', '{"bugdet":7}');
    const { code, stderr } = await run('run', 'lines.csv');
    expect(code).toBe(2);
    expect(stderr).toContain(
      '\n  bugdet: unknown setting\nFix the file, then run the same command again. Nothing was spent.\n',
    );
  });
});

describe('VOXBATCH_CONFIG', () => {
  it('takes the place of the config file of the folder', async () => {
    await writeFile('voxbatch.config.json', '{"budget":7}');
    await writeFile('other.json', '{}');
    expect((await json('plan', 'lines.csv', '--json')).value).toMatchObject({ budget: 7 });
    process.env['VOXBATCH_CONFIG'] = 'other.json';
    expect((await json('plan', 'lines.csv', '--json')).value).toMatchObject({ budget: null });
  });

  it('must be there', async () => {
    process.env['VOXBATCH_CONFIG'] = 'gone.json';
    expect(await refusal()).toContain('there is no gone.json');
  });
});

describe('VOXBATCH_HOME', () => {
  it('names the home; without it, that is .voxbatch', async () => {
    const homeOf = async (env: NodeJS.ProcessEnv): Promise<string> => relative('.', (await readSettings(env)).home);
    expect(await homeOf({})).toBe('.voxbatch');
    expect(await homeOf({ VOXBATCH_HOME: 'b' })).toBe('b');
    expect((await readSettings({ VOXBATCH_HOME: '/c' })).home).toBe('/c');
  });
});

describe('a path', () => {
  it('may have a colon', async () => {
    process.env['VOXBATCH_STORE'] = 'a:b';
    expect((await run('plan', 'lines.csv')).code).toBe(0);
  });
});

describe('resultMember', () => {
  it.each([
    ['one', '"data.clip.href"', ['data.clip.href']],
    ['several', '["data.clip.href","movieUrl"]', ['data.clip.href', 'movieUrl']],
  ])('of the folder, %s, reaches whoever reads jobs, unconfirmed', async (_name, text, members) => {
    await writeFile('voxbatch.config.json', `{"resultMember":${text}}`);
    expect(readApiAccess(await readSettings(), {})).toMatchObject({ resultMembers: members });
    await rm('voxbatch.config.json');
    expect(readApiAccess(await readSettings(), {})).not.toHaveProperty('resultMembers');
  });
});
