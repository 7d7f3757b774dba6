import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { readApiAccess, readSettings } from '../../../starters/connect/settings.ts';
import { expectRun, json, lineForEach } from '../command-line.ts';

lineForEach({ VOXBATCH_API_URL: 'http://127.0.0.1:9/api/open/v1', VOXBATCH_API_TOKEN: 'token' });
beforeEach(() => writeFile('lines.csv', 'text,voice\nHello,anna\n'));

/** Wrong settings: exit code 2, nothing made, no password repeated. */
async function expectRefusal(why: string | RegExp): Promise<void> {
  const err = ['Nothing was recorded. Nothing was spent.', why];
  await expectRun('run lines.csv', 2, { out: '', err, not: 'secret' });
  for (const made of ['s3:', 'out', '.voxbatch']) expect(existsSync(made)).toBe(false);
}

const configure = (config: string): Promise<void> => writeFile('voxbatch.config.json', config);

describe('a place that is not delivered yet', () => {
  it.each([
    ['store', 's3://bucket/../secret', 'folder'],
    ['store', 'S3://secret@bucket', 'folder'],
    ['store', 'gs://bucket/secret', 'folder'],
    ['store', 'file:///tmp/secret', 'folder'],
    ['ledger', 'postgres://user:secret@ho st/db', 'database file'],
    ['ledger', 'mysql://user:secret@host/db', 'database file'],
  ])('is refused as a %s: %s', async (what, place, path) => {
    const name = `VOXBATCH_${what.toUpperCase()}`;
    process.env[name] = place;
    await expectRefusal(new RegExp(`${name}: .*expected the path of a ${path}`));
  });

  it('is refused as the store of the config file', async () => {
    await configure('{"store":"gs://bucket/secret"}');
    await expectRefusal(/"store" in voxbatch.config.json: .*or s3:\/\/bucket\/prefix, got a gs: URL/);
  });
});

describe('the config file', () => {
  it('with a setting that there is not is refused with the name, and what to do', async () => {
    await configure('{"bugdet":7}');
    const err = '\n  bugdet: unknown setting\nFix the file, then run the same command again. Nothing was spent.\n';
    await expectRun('run lines.csv', 2, err);
  });

  it('of the folder gives way to that of VOXBATCH_CONFIG, which must be there', async () => {
    await configure('{"budget":7}');
    await writeFile('other.json', '{}');
    expect((await json('plan lines.csv')).value).toMatchObject({ budget: 7 });
    process.env['VOXBATCH_CONFIG'] = 'other.json';
    expect((await json('plan lines.csv')).value).toMatchObject({ budget: null });
    process.env['VOXBATCH_CONFIG'] = 'gone.json';
    await expectRefusal('there is no gone.json');
  });

  it.each([
    ['one', '"data.clip.href"', ['data.clip.href']],
    ['several', '["data.clip.href","movieUrl"]', ['data.clip.href', 'movieUrl']],
  ])('has resultMember, %s, for whoever reads jobs, unconfirmed', async (_name, text, resultMembers) => {
    await configure(`{"resultMember":${text}}`);
    expect(readApiAccess(await readSettings(), {})).toMatchObject({ resultMembers });
    await rm('voxbatch.config.json');
    expect(readApiAccess(await readSettings(), {})).not.toHaveProperty('resultMembers');
  });
});

it('VOXBATCH_HOME names the home; without it, that is .voxbatch', async () => {
  const homeOf = async (env: NodeJS.ProcessEnv): Promise<string> => relative('.', (await readSettings(env)).home);
  expect(await homeOf({})).toBe('.voxbatch');
  expect(await homeOf({ VOXBATCH_HOME: 'b' })).toBe('b');
  expect((await readSettings({ VOXBATCH_HOME: '/c' })).home).toBe('/c');
});

it('a path may have a colon', async () => {
  process.env['VOXBATCH_STORE'] = 'a:b';
  await expectRun('plan lines.csv', 0);
});
