import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunOptions } from '../../client/run/check-run.ts';
import { openVoxbatch, type Voxbatch } from '../../client/voxbatch.ts';
import { checkConfig, checkTuning, checkWanted } from '../../client/check-options.ts';
import type { Tuning } from '../../contract/tunables.ts';
import type { Config } from '../../inputs/config-file.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const folder = folderForEach();
let voxbatch: Voxbatch;
beforeEach(async () => {
  await writeFile(folder('lines.csv'), 'id,text,voice\na,One.,v\n');
  // Nobody listens there.
  const api = { url: 'http://127.0.0.1:1/api/open/v1', token: 'token' };
  voxbatch = openVoxbatch({ api, home: folder('home') });
});
afterEach(() => voxbatch.close());

const refused = (option: string): object => ({ problem: { type: 'bad-option', option } });
function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

it.each<[string, RunOptions]>([
  ['name', { name: '../elsewhere' }],
  ['name', { name: 'a\\b' }],
  ['assumeSeconds', { assumeSeconds: Number.NaN }],
  ['apiDialect', { apiDialect: 'v2' as 'v1' }],
  ['join.pause', { join: { column: 'chapter', pause: Number.NaN } }],
  ['budget', { tuning: { budget: Number.NaN } }],
  ['subset.type', { subset: { type: 'first' as 'limit', rows: 1 } }],
  ['subset.rows', { subset: { type: 'limit', rows: 0 } }],
  ['subset.rows', { subset: { type: 'sample', rows: 1.5, seed: 1 } }],
  ['subset.seed', { subset: { type: 'sample', rows: 1, seed: -1 } }],
])('a run of a program is refused before anything is asked where %s is wrong: %j', async (option, wanted) => {
  const out = folder('out');
  await expect(voxbatch.run(folder('lines.csv'), { out, ...wanted })).rejects.toMatchObject(refused(option));
});

describe('webhooks for a program', () => {
  const url = 'https://hooks.example.org';

  it.each([
    ['webhook.url', { webhook: { url: 'hooks.example.org' } }],
    ['webhook.url', { webhook: { url: `${url}?key=1` } }],
    ['webhook.port', { webhook: { url, port: 0 } }],
    ['webhook.port', { webhook: { url, port: 80.5 } }],
    ['webhook.restore', { webhook: { url, restore: 'a-secret-path' } }],
    ['webhook', { webhook: { url }, temporal: { address: 'temporal.example:7233' } }],
  ])('are refused at once where %s is wrong: %j', (option, options) => {
    const thrown = thrownBy(() => openVoxbatch({ ...options, home: folder('home') }));
    expect(thrown).toMatchObject(refused(option));
    expect(JSON.stringify(thrown)).not.toContain('a-secret-path');
  });
});

describe('what may be changed at any time', () => {
  it.each<[string, unknown]>([
    ['budget', { budget: Number.NaN }],
    ['budget', { budget: '500' }],
    ['budget', { budget: 0 }],
    ['budget', { budget: Number.POSITIVE_INFINITY }],
    ['budget', { budget: true }],
    ['rate', { limits: { rate: Number.NaN } }],
    ['submits', { limits: { submits: 0 } }],
    ['submits', { limits: { submits: 1_000 } }],
    ['retakes', { retakes: 1_000 }],
    ['onUnknown', { onUnknown: 'pay' }],
    ['halt', { halt: { when: 'soon', fail: Number.NaN, unit: 'rows' } }],
    ['budjet', { budjet: 5 }],
  ])('is refused where %s is wrong: %j', (option, tuning) => {
    const check = (): void => {
      checkTuning(tuning as Tuning);
    };
    expect(thrownBy(check)).toMatchObject(refused(option));
  });

  it('is taken as a command line takes it; what is undefined is left out', () => {
    expect(() => {
      checkTuning({ budget: 12.5, onUnknown: 'hold', retakes: 2, halt: { when: 'now', fail: 5, unit: 'percent' } });
      checkTuning({ budget: null, limits: { rate: null, submits: 16, window: 10, pollRate: 0.5 } });
      checkTuning({ budget: undefined } as unknown as Tuning);
      checkWanted({}, 'Export - v3');
    }).not.toThrow();
  });
});

describe('the places of records', () => {
  it.each([
    ['ledger', { ledger: 'mysql://user:secret@host/db' }],
    ['store', { store: 'gs://bucket/media' }],
    ['config.store', { config: { store: 's3://key:secret@bucket/media' } }],
    ['home', { home: 'https://host/records' }],
  ])('are refused where %s is a URL: it would become a folder of this machine', (option, options) => {
    expect(() => openVoxbatch(options)).toThrow(`Option ${option}: expected `);
    expect(() => openVoxbatch(options)).not.toThrow('secret');
  });

  it('may be any path', () => {
    expect(() => openVoxbatch({ home: './a:b', ledger: '/tmp/x.db', store: 'media' })).not.toThrow();
  });
});

describe('a configuration of a program', () => {
  const price = { unit: 'character', estimate: false } as const;
  it.each<[string, Config]>([
    ['budget', { budget: Number.NaN }],
    ['prices.speech-job.credits', { prices: { 'speech-job': { ...price, credits: Number.NaN } } }],
    ['polling.gapMs', { polling: { gapMs: 0 } }],
    ['apiDialect', { apiDialect: 'legacy=200%' }],
    ['confirmAbove', { confirmAbove: Number.NaN }],
  ])('is refused where %s is wrong', (option, config) => {
    expect(() => openVoxbatch({ config })).toThrow(`Option ${option}: expected`);
  });

  it('is taken where it is sound', () => {
    expect(() => {
      checkConfig({ budget: 5, prices: { 'speech-job': { ...price, credits: 0 } }, polling: { gapMs: 1 } });
    }).not.toThrow();
  });
});
