import { describe, expect, it } from '@jest/globals';
import type { FaultPlan, SimulatorOptions } from '../../../simulator/start-simulator.ts';
import { readValue } from '../../../starters/account/profile.ts';
import { expectRefused, expectRun, json, lineForEach, simulate } from '../command-line.ts';

const SECRET = 'https://hooks.example.com/path-that-nobody-may-see';
const HOST = 'https://hooks.example.com/…';
const SHOWN = 'profile.webhook=webhook_url,profile.extra=given,profile.updated=success';

lineForEach();

interface Field {
  readonly field: string;
  readonly result: string;
  readonly value?: unknown;
}

/** Changes the profile of an API of such a shape: the exit code, and what became of the first field. */
async function change(shape: string, line: string, options: SimulatorOptions = {}): Promise<object> {
  await simulate({ shape, ...options });
  return again(line);
}

async function again(line: string): Promise<object> {
  const { code, value } = await json(`profile ${line}`);
  const [{ result, ...rest }] = value['fields'] as readonly [Field];
  return { code, result, ...('value' in rest ? { value: rest.value } : {}) };
}

/** A fault on the update: the request after the first read of the profile. */
function onUpdate(fault: NonNullable<FaultPlan['rules']>[number]['fault']): SimulatorOptions {
  return { plan: { rules: [{ on: 'profile', match: { nth: 2 }, fault }] } };
}

describe('voxbatch profile set-webhook', () => {
  it('voxbatch profile set-webhook: sets the address, GET /profile shows it, and its path is never printed', async () => {
    await simulate({ shape: SHOWN });
    const not = 'nobody-may-see';
    const out = `webhookUrl: set to "${HOST}"; the profile shows it.\n`;
    await expectRun(`profile set-webhook ${SECRET}`, 0, { out, err: 'Nothing was spent.', not });
    await expectRun('profile', 0, { out: `webhook          ${HOST}\n`, not });
    expect((await json('profile')).value).toMatchObject({ webhook: HOST });
  });

  it('says that nobody can tell where the profile does not show the address', async () => {
    await simulate({ shape: 'profile.webhook=absent' });
    const value = { fields: [{ field: 'webhookUrl', result: 'unseen' }], message: null };
    expect(await json('profile set-webhook', SECRET)).toEqual({ code: 13, value });
  });

  it.each([
    [SHOWN, 0, 'taken away; the profile shows none.'],
    ['profile.webhook=absent', 13, /unknown\. .* nobody can tell whether it was taken away or ignored\.\n/],
  ])('--clear says whether the address is gone: %s', async (shape, code, out) => {
    await simulate({ shape: `${shape},profile.clear=null` });
    await expectRun('profile set-webhook --clear', code, { out });
  });

  it.each([
    ['null', { code: 0, result: 'set', value: null }],
    ['empty', { code: 0, result: 'set', value: null }],
    ['nothing', { code: 10, result: 'refused', value: HOST }],
  ])('--clear takes it away in the way that the API has: %s', async (way, expected) => {
    await change(`${SHOWN},profile.clear=${way}`, `set-webhook ${SECRET}`);
    expect(await again('set-webhook --clear')).toMatchObject(expected);
    if (way === 'nothing') await expectRun('profile set-webhook --clear', 10, 'profile shows: voxbatch profile');
  });

  it.each([
    ['no URL', []],
    ['both', [SECRET, '--clear']],
    ['another scheme', ['ftp://example.org/x']],
    ['a word', ['webhook']],
    ['nothing', ['']],
  ])('refuses %s, and says what an address looks like, not how to lose the one that is set', async (_, words) => {
    await simulate({ shape: SHOWN });
    const { stderr } = await expectRefused(['profile set-webhook', ...words], []);
    expect(stderr).not.toContain('nobody-may-see');
    if (words[0] === 'webhook') expect(stderr).toMatch(/^(?!.*--clear).*Give an address such as https:/s);
  });
});

describe('voxbatch profile set', () => {
  it('voxbatch profile set: sets fields with their types, in one request', async () => {
    await simulate({ shape: `${SHOWN},profile.unknown=refused` });
    const { code, value } = await json('profile set newsletter=true displayName="7"');
    const set = { result: 'set' };
    const fields = [
      { field: 'newsletter', ...set, value: true },
      { field: 'displayName', ...set, value: '7' },
    ];
    expect({ code, value }).toMatchObject({ code: 0, value: { fields } });
  });

  it.each([
    ['ignored', 'language', { code: 13, result: 'unseen' }],
    ['ignored', 'tier', { code: 10, result: 'ignored', value: 'pro' }],
    ['refused', 'language', { code: 10, result: 'refused' }],
    ['refused', 'tier', { code: 10, result: 'refused', value: 'pro' }],
  ])('POST /profile: with unknown fields %s says what became of %s', async (unknown, name, expected) => {
    expect(await change(`${SHOWN},profile.unknown=${unknown}`, `set ${name}=gold`)).toEqual(expected);
  });

  it.each([
    ['done', SHOWN, { kind: 'status', status: 502, body: 'foreign', accepted: true }, 0, 'set'],
    ['not done', SHOWN, { kind: 'status', status: 502, body: 'foreign' }, 10, 'not-set'],
    ['done', 'profile.extra=absent', { kind: 'html', accepted: true }, 13, 'lost'],
    ['not done', 'profile.extra=absent', 'reset-before', 13, 'lost'],
    ['refused as too fast', SHOWN, { kind: 'status', status: 429 }, 10, 'refused'],
  ] as const)('reads again after a lost answer: %s (%s)', async (_, shape, fault, code, result) => {
    const plan = onUpdate(typeof fault === 'string' ? fault : { ...fault });
    expect(await change(shape, 'set newsletter=true', plan)).toMatchObject({ code, result });
  });

  it.each([['newsletter'], ['=true'], ['a b=1'], ['tier=1', 'tier=2']])('refuses %s', async (...words) => {
    await simulate({ shape: SHOWN });
    await expectRefused(['profile set', ...words], []);
  });
});

it.each([
  ['true', true],
  ['null', null],
  ['-1.5', -1.5],
  ['"5"', '5'],
  ['[1,"a"]', [1, 'a']],
  ['{"a":{}}', { a: {} }],
  ['anna', 'anna'],
  ['', ''],
  ['007', '007'],
  ['1e999', '1e999'],
  ['12345678901234567890', '12345678901234567890'],
  ['a=b', 'a=b'],
])('a value on the command line %s is %j', (text, value) => expect(readValue(text)).toEqual(value));
