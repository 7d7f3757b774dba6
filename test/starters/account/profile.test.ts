import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FaultPlan, SimulatorOptions } from '../../../simulator/start-simulator.ts';
import { startSimulator, type Simulator } from '../../../simulator/start-simulator.ts';
import { readValue } from '../../../starters/account/profile.ts';
import { openCommandLine, type CommandLine, run, json } from '../command-line.ts';

const SECRET = 'https://hooks.example.com/path-that-nobody-may-see';
const SHOWN = 'profile.webhook=webhook_url,profile.extra=given,profile.updated=success';

let line: CommandLine;
let simulator: Simulator | undefined;
beforeEach(async () => {
  line = await openCommandLine();
});
afterEach(async () => {
  await line.close();
  await simulator?.close();
});

async function start(shape: string, options: SimulatorOptions = {}): Promise<void> {
  simulator = await startSimulator({ shape, ...options });
  Object.assign(process.env, { VOXBATCH_API_URL: simulator.url, VOXBATCH_API_TOKEN: simulator.token });
}

/** A fault on the update: the request after the first read of the profile. */
function onUpdate(fault: NonNullable<FaultPlan['rules']>[number]['fault']): SimulatorOptions {
  return { plan: { rules: [{ on: 'profile', match: { nth: 2 }, fault }] } };
}

describe('voxbatch profile set-webhook', () => {
  it('voxbatch profile set-webhook: sets the address, GET /profile shows it, and its path is never printed', async () => {
    await start(SHOWN);
    const { code, stdout, stderr } = await run('profile', 'set-webhook', SECRET);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'webhookUrl: set to "https://hooks.example.com/…"; the profile shows it.\n',
    });
    const profile = await run('profile');
    expect(profile.stdout).toContain('webhook          https://hooks.example.com/…\n');
    const { value } = await json('profile', '--json');
    expect(value).toMatchObject({ webhook: 'https://hooks.example.com/…' });
    expect(stdout + stderr + profile.stdout + JSON.stringify(value)).not.toContain('nobody-may-see');
    expect(stderr).toContain('Nothing was spent.');
  });

  it('says that nobody can tell where the profile does not show the address', async () => {
    await start('profile.webhook=absent');
    const { code, value } = await json('profile', 'set-webhook', SECRET, '--json');
    expect({ code, value }).toEqual({
      code: 13,
      value: { fields: [{ field: 'webhookUrl', result: 'unseen' }], message: null },
    });
  });

  it.each([
    [SHOWN, 0, 'taken away; the profile shows none.'],
    [
      'profile.webhook=absent',
      13,
      'unknown. The API accepted the request, and the profile does not show this field, so nobody can tell whether it was taken away or ignored.',
    ],
  ])('--clear says whether the address is gone: %s', async (shape, expected, words) => {
    await start(`${shape},profile.clear=null`);
    const { code, stdout } = await run('profile', 'set-webhook', '--clear');
    expect({ code, stdout }).toEqual({ code: expected, stdout: `webhookUrl: ${words}\n` });
  });

  it.each(['null', 'empty', 'nothing'])('--clear takes it away in the way that the API has: %s', async (way) => {
    await start(`${SHOWN},profile.clear=${way}`);
    await run('profile', 'set-webhook', SECRET);
    const { code, value } = await json('profile', 'set-webhook', '--clear', '--json');
    const [field] = value['fields'] as readonly object[];
    expect({ code, field }).toMatchObject(
      way === 'nothing'
        ? { code: 10, field: { result: 'refused', value: 'https://hooks.example.com/…' } }
        : { code: 0, field: { result: 'set', value: null } },
    );
  });

  it.each([
    ['no URL', []],
    ['both', [SECRET, '--clear']],
    ['another scheme', ['ftp://example.org/x']],
    ['a word', ['webhook']],
    ['nothing', ['']],
  ])('refuses %s, and sends nothing', async (_, words) => {
    await start(SHOWN);
    const { code, stderr } = await run('profile', 'set-webhook', ...words);
    expect(code).toBe(2);
    expect(stderr).toContain('Nothing was spent.');
    expect(stderr).not.toContain('nobody-may-see');
  });

  it('says what an address looks like, and not how to lose the one that is set', async () => {
    await start(SHOWN);
    const { stderr } = await run('profile', 'set-webhook', 'notaurl');
    expect(stderr).toContain('Give an address such as https://example.com/hooks. Nothing was spent.');
    expect(stderr).not.toContain('--clear');
  });

  it('says what to do where the API refuses', async () => {
    await start(`${SHOWN},profile.clear=nothing`);
    await run('profile', 'set-webhook', SECRET);
    const { stderr } = await run('profile', 'set-webhook', '--clear');
    expect(stderr).toContain('See what the profile shows: voxbatch profile');
  });
});

describe('voxbatch profile set', () => {
  it('voxbatch profile set: sets fields with their types, in one request', async () => {
    await start(`${SHOWN},profile.unknown=refused`);
    const { code, value } = await json('profile', 'set', 'newsletter=true', 'displayName="7"', '--json');
    expect({ code, value }).toMatchObject({
      code: 0,
      value: {
        fields: [
          { field: 'newsletter', result: 'set', value: true },
          { field: 'displayName', result: 'set', value: '7' },
        ],
      },
    });
  });

  it.each([
    ['profile.unknown=ignored', 'language', { code: 13, result: 'unseen' }],
    ['profile.unknown=ignored', 'tier', { code: 10, result: 'ignored', value: 'pro' }],
    ['profile.unknown=refused', 'language', { code: 10, result: 'refused' }],
    ['profile.unknown=refused', 'tier', { code: 10, result: 'refused', value: 'pro' }],
  ])('POST /profile: with %s says what became of %s', async (shape, name, expected) => {
    await start(`${SHOWN},${shape}`);
    const { code, value } = await json('profile', 'set', `${name}=gold`, '--json');
    const [{ result, ...rest } = { result: '' }] = value['fields'] as readonly {
      readonly result: string;
      readonly value?: unknown;
    }[];
    expect({ code, result, ...('value' in rest ? { value: rest.value } : {}) }).toEqual(expected);
  });

  it.each([
    ['done', SHOWN, { kind: 'status', status: 502, body: 'foreign', accepted: true }, 0, 'set'],
    ['not done', SHOWN, { kind: 'status', status: 502, body: 'foreign' }, 10, 'not-set'],
    ['done', 'profile.extra=absent', { kind: 'html', accepted: true }, 13, 'lost'],
    ['not done', 'profile.extra=absent', 'reset-before', 13, 'lost'],
    ['refused as too fast', SHOWN, { kind: 'status', status: 429 }, 10, 'refused'],
  ] as const)('reads again after a lost answer: %s (%s)', async (_, shape, fault, exit, result) => {
    await start(shape, onUpdate(typeof fault === 'string' ? fault : { ...fault }));
    const { code, value } = await json('profile', 'set', 'newsletter=true', '--json');
    expect({ code, result: (value['fields'] as readonly { result: string }[])[0]?.result }).toEqual({
      code: exit,
      result,
    });
  });

  it.each([['newsletter'], ['=true'], ['a b=1'], ['tier=1', 'tier=2']])('refuses %s', async (...words) => {
    await start(SHOWN);
    const { code, stderr } = await run('profile', 'set', ...words);
    expect(code).toBe(2);
    expect(stderr).toContain('Nothing was spent.');
  });

  it('spends nothing', async () => {
    await start(SHOWN);
    await run('profile', 'set', 'newsletter=true');
    expect(simulator?.ledger()).toEqual([]);
  });
});

describe('a value on the command line', () => {
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
  ])('%s is %j', (text, value) => {
    expect(readValue(text)).toEqual(value);
  });
});
