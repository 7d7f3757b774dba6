/** @slow */
import { writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { openLedger } from '../../ledger/open-ledger.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { Gate } from '../support/gate.ts';
import type { LiveWorld } from '../support/live-world.ts';
import { expectMended, messageOf, openSmallWorld } from '../support/small-batch.ts';
import { waitFor } from '../support/wait-for.ts';

const RUN = ['run', 'lines.csv'];
/** Nobody listens there, nor is given it while a test runs. */
const NOBODY = '127.0.0.1:9';
/** A home in which no server runs; the others find one. Its ledger has an out folder of its own. */
const NO_SERVER = 'another-home';
const OF_NO_SERVER = [...RUN, '--out', 'other'];

let world: LiveWorld;

/** The trouble; the exit code; what is said of it and of the next step; the environment, and how else the start differs. */
type Trouble = readonly [
  what: string,
  code: number,
  says: readonly RegExp[],
  env?: NodeJS.ProcessEnv | (() => NodeJS.ProcessEnv),
  more?: { readonly args?: readonly string[]; readonly input?: string; readonly prepare?: () => Promise<void> },
];

const TROUBLES: readonly Trouble[] = [
  ['no token', 5, [/No API token/, /Set VOXBATCH_API_TOKEN/], { VOXBATCH_API_TOKEN: undefined }],
  [
    'a token that the API refuses',
    5,
    [/refuses the token.*401/, /Set VOXBATCH_API_TOKEN/],
    { VOXBATCH_API_TOKEN: 'of-another-account' },
  ],
  ['no API address', 5, [/No API is configured/, /Set VOXBATCH_API_URL/], { VOXBATCH_API_URL: undefined }],
  [
    'an API address without its path',
    5,
    [/the path \//, /https:\/\/host\/api\/open\/v1/],
    () => ({ VOXBATCH_API_URL: new URL(world.simulator.url).origin }),
  ],
  [
    'an API that is down',
    4,
    [/cannot be reached.*ECONNREFUSED/, /run the same command again/],
    { VOXBATCH_API_URL: `http://${NOBODY}/api/open/v1` },
  ],
  [
    'an API that answers with a web page',
    4,
    [/does not return the account's profile/, /check VOXBATCH_API_URL/],
    {},
    { prepare: () => world.changePlan({ rules: [{ on: 'profile', fault: 'html' }] }) },
  ],
  [
    'Temporal that is not there',
    4,
    [/Temporal at 127\.0\.0\.1:\d+ cannot be reached/, /TEMPORAL_ADDRESS/],
    { TEMPORAL_ADDRESS: NOBODY },
  ],
  [
    'a Temporal server that does not exist',
    4,
    [/ENOENT/, /unset it to let voxbatch find one/],
    { VOXBATCH_TEMPORAL_CLI: '/nowhere/temporal', VOXBATCH_HOME: NO_SERVER },
    { args: OF_NO_SERVER },
  ],
  [
    'a Temporal server that is another program',
    4,
    [/VOXBATCH_TEMPORAL_CLI/, /unset it to let voxbatch find one/],
    { VOXBATCH_TEMPORAL_CLI: '/bin/false', VOXBATCH_HOME: NO_SERVER },
    { args: OF_NO_SERVER },
  ],
  [
    'an out folder below a file',
    2,
    [/output folder .* cannot be written/, /Choose another with --out/],
    {},
    { args: [...RUN, '--out', 'lines.csv/out'] },
  ],
  [
    'a home below a file, and the ledger elsewhere',
    4,
    [/ENOTDIR/, /VOXBATCH_HOME|folder/],
    { VOXBATCH_HOME: 'lines.csv/home', VOXBATCH_LEDGER: 'elsewhere/ledger.db' },
  ],
  ['a store below a file', 4, [/ENOTDIR/, /VOXBATCH_STORE/], { VOXBATCH_STORE: 'lines.csv/store' }],
  [
    'a manifest from standard input, and no folder for its copy',
    2,
    [/cannot keep a copy of standard input/, /Set TMPDIR/],
    () => ({ TMPDIR: world.path('nowhere') }),
    { args: ['run', '-', '--name', 'piped'], input: 'text,voice\nA line.,narrator\n' },
  ],
  [
    'a ledger that is no database',
    4,
    [/the file is not a database/, /VOXBATCH_LEDGER/],
    { VOXBATCH_LEDGER: 'notes.db' },
    { prepare: () => writeFile(world.path('notes.db'), 'Not a database, but notes. '.repeat(20)) },
  ],
];

describe('a start in bad surroundings', () => {
  beforeAll(async () => {
    world = await openSmallWorld(12, true);
  });

  it.each(TROUBLES)('%s', async (_, code, says, env, { args = RUN, input, prepare } = {}) => {
    await prepare?.();
    const options = { env: typeof env === 'function' ? env() : (env ?? {}) };
    const ended = await world.run(args, input === undefined ? options : { ...options, input });
    expect({ ...ended }).toMatchObject({ code });
    const message = messageOf(ended);
    for (const words of says) expect(message).toMatch(words);
    expect(message).toMatch(/[Nn]othing was spent/);
    expect(message).not.toContain('secret');
    expect(world.simulator.ledger()).toEqual([]);
    await world.changePlan({});
  });

  it('does no harm: the same command finishes the batch when all is mended', async () => {
    await expectMended(world, RUN);
    expect(await world.run(['verify', 'out/lines'])).toMatchObject({ code: 0 });
  });

  it('is no business of proxies that nothing here is reached through: neither the API nor Temporal', async () => {
    const dead = `http://${NOBODY}`;
    const env = { https_proxy: dead, http_proxy: dead, grpc_proxy: dead, ALL_PROXY: dead, FTP_PROXY: 'no URL' };
    expect(await world.run([...RUN, '--name', 'proxied'], { env })).toMatchObject({ code: 0 });
  });
});

it('an API that goes away in mid-batch is waited for; the batch goes on by itself', async () => {
  world = await openSmallWorld(40);
  const gate = new Gate(world.simulator.port);
  await gate.open();
  endAfterTest(() => gate.shut());
  const url = new URL(world.simulator.url);
  url.port = String(gate.port);
  const running = world.start([...RUN, '--submits', '2', '--rate', '20'], { env: { VOXBATCH_API_URL: url.href } });
  await world.untilCharged(10);
  await gate.shut();
  const before = world.simulator.ledger().length;
  await untilRefused(3);
  // What the API had taken when it went away (`--submits 2`) it may still charge for; nothing else reaches it.
  expect(world.simulator.ledger().length).toBeLessThanOrEqual(before + 2);
  await gate.open();
  const ended = await running.ended;
  const rows = [...(await world.results('lines')).values()];
  const others = rows.filter(({ _outcome }) => _outcome !== 'succeeded');
  // What was on the wire when the API went away is in doubt, and nothing else.
  expect(others.length).toBeLessThanOrEqual(2);
  for (const row of others) expect(row).toMatchObject({ _outcome: 'unknown', _error_class: 'OutcomeUnknown' });
  expect(ended.code).toBe(others.length > 0 ? 13 : 0);
});

it('two homes with one ledger do not work at the same time: each has a Temporal server that knows nothing of the other', async () => {
  world = await openSmallWorld();
  const up = await world.startWorking(['up']);
  const env = {
    VOXBATCH_HOME: world.path('other'),
    VOXBATCH_LEDGER: world.path('.voxbatch', 'ledger.db'),
    VOXBATCH_STORE: world.path('.voxbatch', 'store'),
  };
  const refused = await world.run(RUN, { env });
  expect(refused).toMatchObject({ code: 4 });
  expect(messageOf(refused)).toMatch(/Another Temporal server uses the ledger .* Nothing was sent/);
  expect(world.simulator.ledger()).toEqual([]);
  await up.endInOrder();
  // Nobody is there any more: now it may.
  await expectMended(world, RUN, env);
});

/** Waits until so many requests are on record that found nobody at the other end. */
async function untilRefused(requests: number): Promise<void> {
  const ledger = await openLedger(world.path('.voxbatch', 'ledger.db'));
  try {
    await waitFor(async () => {
      let refused = 0;
      for await (const { charges } of ledger.scanRows('lines')) {
        refused += charges.filter(({ state }) => state === 'not-accepted').length;
      }
      return refused >= requests;
    });
  } finally {
    await ledger.close();
  }
}
