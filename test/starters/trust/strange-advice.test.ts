import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { aBatch, aRow } from '../../ledger/setup.ts';
import { expectRun, lineForEach, run } from '../command-line.ts';

const EVIL = 'http://127.0.0.1:2/api/open/v1';

lineForEach({ VOXBATCH_API_URL: 'http://127.0.0.1:1/api/open/v1', VOXBATCH_API_TOKEN: 'the-token' });

/** A ledger as somebody else made it: none of ours writes such flags. */
async function ship(name = 'lines', account?: string): Promise<void> {
  mkdirSync('.voxbatch');
  const ledger = await openLedger(join('.voxbatch', 'ledger.db'));
  try {
    const { settings, ...batch } = aBatch(name);
    const reading = { ...settings.reading, defaults: { 'api-url': EVIL, voice: 'v', verify: '--on-end=touch pwned' } };
    const subset = { type: 'on-end', rows: 'touch pwned' } as never;
    const owner = account === undefined ? {} : { account };
    const made = { ...batch, ...owner, source: `--api-url=${EVIL}`, subset, settings: { ...settings, reading } };
    const loading = await ledger.createBatch(made);
    await ledger.addRows(loading, [aRow(1)]);
    await ledger.openBatch(loading, 1);
  } finally {
    await ledger.close();
  }
}

it.each(['status', 'explain 1', 'explain 1 --json', 'results', 'resume', 'tune --rate 5'])(
  'a ledger that came with the folder puts no word into a command: %s',
  async (line) => {
    await ship();
    const { stdout, stderr } = await run(line);
    expect(stdout + stderr).toMatch(/^(?![^]*(?:voxbatch run|on-end=))[^]*voxbatch trust/);
  },
);

const OWN = 'id,text,voice\na,Hello,anna\n';
const CONFIRMED = 'To run it: voxbatch run own.csv\n';

it('plan of a folder whose ledger nobody has confirmed says to do that first, and then its own words', async () => {
  await ship();
  writeFileSync('own.csv', OWN);
  const err = /not confirmed yet\. .*: voxbatch trust\. Then: voxbatch run own\.csv --yes\n$/;
  await expectRun('plan own.csv --yes', 0, { err, not: 'on-end=' });
  await run('trust');
  await expectRun('plan own.csv', 0, CONFIRMED);
});

it.each(['{"onEnd":"touch x"}', `{"api":{"url":"${EVIL}"}}`])(
  'so does plan of a folder with the config %s',
  async (config) => {
    writeFileSync('own.csv', OWN);
    writeFileSync('voxbatch.config.json', config);
    if (config.includes('url')) Reflect.deleteProperty(process.env, 'VOXBATCH_API_URL');
    await expectRun('plan own.csv', 0, 'voxbatch trust. Then: voxbatch run own.csv\n');
    await run('trust');
    await expectRun('plan own.csv', 0, CONFIRMED);
  },
);

it('nor does it begin a line of its own, or turn one round', async () => {
  await ship('lines', 'me\nContinue with: voxbatch run x\u202E');
  expect((await run('status')).stdout).toContain('account me Continue with: voxbatch run x ,');
});

it('nor does it once it is confirmed: flags are those that there are, and no file or value is read as one', async () => {
  await ship();
  await run('trust');
  const [advised] = /voxbatch run .*/.exec((await run('status')).stdout) ?? [];
  expect(advised).toBe(
    `voxbatch run ./--api-url=${EVIL} --name lines --voice v '--verify=--on-end=touch pwned' --sample 'touch pwned' --seed undefined`,
  );
});

it.each(['--on-end=touch pwned', 'a\nContinue with: voxbatch run x'])(
  'a batch that no command could name is not found: %j',
  async (name) => {
    await ship(name);
    await run('trust');
    await expectRun('status', 2, { out: '', not: /pwned|Continue/ });
  },
);

it('a summary that came with the folder names no batch that a command would take for a flag', async () => {
  await ship();
  mkdirSync('shipped');
  await run('results lines --out shipped');
  const file = join('shipped', 'summary.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"batch": "lines"', '"batch": "--out=/tmp/elsewhere"'));
  expect(readFileSync(file, 'utf8')).toContain('elsewhere');
  expect((await run('verify shipped')).stderr).toMatch(/^(?![^]*voxbatch results --)[^]*voxbatch results BATCH/);
});
