import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { aBatch, aRow } from '../../ledger/setup.ts';
import { run } from '../command-line.ts';
import { lineForEach } from '../line-for-each.ts';

const EVIL = 'http://127.0.0.1:2/api/open/v1';

lineForEach(() => ({
  VOXBATCH_API_URL: 'http://127.0.0.1:1/api/open/v1',
  VOXBATCH_API_TOKEN: 'the-token',
}));

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
    await ledger.createBatch(made);
    await ledger.addRows(name, [aRow(1)]);
    await ledger.openBatch(name, 1);
  } finally {
    await ledger.close();
  }
}

it.each([['status'], ['explain', '1'], ['explain', '1', '--json'], ['results'], ['resume'], ['tune', '--rate', '5']])(
  'a ledger that came with the folder puts no word into a command: %s',
  async (...words) => {
    await ship();
    const { stdout, stderr } = await run(...words);
    const said = stdout + stderr;
    expect(said).toContain('voxbatch trust');
    expect(said).not.toMatch(/voxbatch run|on-end=/);
  },
);

it('plan of a folder whose ledger nobody has confirmed says to do that first, and then its own words', async () => {
  await ship();
  writeFileSync('own.csv', 'id,text,voice\na,Hello,anna\n');
  const { code, stderr } = await run('plan', 'own.csv', '--yes');
  expect(code).toBe(0);
  expect(stderr).toMatch(/not confirmed yet\. .*: voxbatch trust\. Then: voxbatch run own\.csv --yes\n$/);
  expect(stderr).not.toContain('on-end=');
  await run('trust');
  expect((await run('plan', 'own.csv')).stderr).toContain('To run it: voxbatch run own.csv\n');
});

it.each(['{"onEnd":"touch x"}', `{"api":{"url":"${EVIL}"}}`])(
  'so does plan of a folder with the config %s',
  async (config) => {
    writeFileSync('own.csv', 'id,text,voice\na,Hello,anna\n');
    writeFileSync('voxbatch.config.json', config);
    if (config.includes('url')) Reflect.deleteProperty(process.env, 'VOXBATCH_API_URL');
    expect((await run('plan', 'own.csv')).stderr).toContain('voxbatch trust. Then: voxbatch run own.csv\n');
    await run('trust');
    expect((await run('plan', 'own.csv')).stderr).toContain('To run it: voxbatch run own.csv\n');
  },
);

it('nor does it begin a line of its own, or turn one round', async () => {
  await ship('lines', 'me\nContinue with: voxbatch run x\u202E');
  const { stdout } = await run('status');
  expect(stdout).toContain('account me Continue with: voxbatch run x ,');
});

it('nor does it once it is confirmed: flags are those that there are, and no file or value is read as one', async () => {
  await ship();
  await run('trust');
  const { stdout } = await run('status');
  const [advised = ''] = /voxbatch run .*/.exec(stdout) ?? [];
  expect(advised).toBe(
    `voxbatch run ./--api-url=${EVIL} --name lines --voice v '--verify=--on-end=touch pwned' --sample 'touch pwned' --seed undefined`,
  );
});

it.each(['--on-end=touch pwned', 'a\nContinue with: voxbatch run x'])(
  'a batch that no command could name is not found: %j',
  async (name) => {
    await ship(name);
    await run('trust');
    const { code, stdout, stderr } = await run('status');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toMatch(/pwned|Continue/);
  },
);

it('a summary that came with the folder names no batch that a command would take for a flag', async () => {
  await ship();
  mkdirSync('shipped');
  await run('results', 'lines', '--out', 'shipped');
  const file = join('shipped', 'summary.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"batch": "lines"', '"batch": "--out=/tmp/elsewhere"'));
  expect(readFileSync(file, 'utf8')).toContain('elsewhere');
  const { stderr } = await run('verify', 'shipped');
  expect(stderr).toContain('voxbatch results BATCH');
  expect(stderr).not.toContain('voxbatch results --');
});
