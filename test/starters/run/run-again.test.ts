/** @slow */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AttemptKey, BatchSettings } from '../../../contract/batch.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { startSimulator, type Simulator } from '../../../simulator/start-simulator.ts';
import type { Flags } from '../../../starters/commands/flags.ts';
import { planRun } from '../../../starters/run/run-options.ts';
import { readSettings } from '../../../starters/connect/settings.ts';
import { openCommandLine, type CommandLine, type Ended } from '../command-line.ts';

/** `run` on a batch that is finished: what its flags change then. It needs no Temporal. */

const TOKEN = 'token';
const MANIFEST = 'id,audio,duration\na,https://media.example/a.mp3,\n';
let simulator: Simulator;
let line: CommandLine;
beforeEach(async () => {
  simulator = await startSimulator({ token: TOKEN });
  line = await openCommandLine({ VOXBATCH_API_URL: simulator.url, VOXBATCH_API_TOKEN: TOKEN });
  await writeFile('lines.csv', MANIFEST);
  await withLedger((ledger) => addFinished(ledger));
  // No command has made it.
  await line.run('trust');
});
afterEach(async () => {
  await line.close();
  await simulator.close();
});

async function withLedger<T>(work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await openLedger('.voxbatch/ledger.db', { mustExist: false });
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

interface Finished {
  readonly manifest?: string;
  /** How its row ended. */
  readonly ending?: Parameters<Ledger['giveUp']>[1];
}

/** The batch that `run lines.csv` makes, as it is when its row has ended. */
async function addFinished(
  ledger: Ledger,
  name = 'lines',
  { manifest = MANIFEST, ending = { outcome: 'cancelled' }, ...flags }: Flags & Finished = {},
): Promise<void> {
  const profile = await fetch(`${simulator.url}/profile`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const { user_id: account } = (await profile.json()) as { user_id: string };
  const { settings } = planRun('lines.csv', flags, await readSettings());
  const digest = createHash('sha256').update(manifest).digest('hex');
  const columns = ['id', 'audio', 'duration'];
  await ledger.createBatch({
    name,
    digest,
    apiUrl: simulator.url,
    account,
    settings,
    columns,
    source: 'lines.csv',
  });
  const spec = { kind: 'stt', audio: 'https://media.example/a.mp3', extra: {} } as const;
  await ledger.addRows(name, [{ row: 1, id: 'a', line: 2, spec, input: ['a', spec.audio, ''], quoted: null }]);
  await ledger.openBatch(name, 1);
  await ledger.giveUp({ batch: name, row: 1, step: 'speech', take: 1, attempt: 1 }, ending);
  await ledger.closeBatch(name);
}

/** A batch of three lines of speech, 5 credits each, whose budget had room for the first. */
async function addSpent(ledger: Ledger, name: string, manifest: string): Promise<void> {
  const profile = await fetch(`${simulator.url}/profile`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const { user_id: account } = (await profile.json()) as { user_id: string };
  const { settings } = planRun(`${name}.csv`, { budget: '5' }, await readSettings());
  const digest = createHash('sha256').update(manifest).digest('hex');
  const columns = ['id', 'text', 'voice'];
  await ledger.createBatch({
    ...{ name, digest, account, settings, columns },
    apiUrl: simulator.url,
    source: `${name}.csv`,
  });
  await ledger.addRows(
    name,
    ['a', 'b', 'c'].map((id, index) => {
      const spec = { kind: 'tts', text: `Text of ${id}.`, voice: 'anna', extra: {} } as const;
      return { row: index + 1, id, line: index + 2, spec, input: [id, spec.text, spec.voice], quoted: 5 };
    }),
  );
  await ledger.openBatch(name, 3);
  const keyOf = (row: number): AttemptKey => ({ batch: name, row, step: 'speech', take: 1, attempt: 1 });
  const intent = { quoted: 5, quotedRest: 0, owner: 'w', maxSending: 8 };
  await ledger.intend(keyOf(1), intent);
  await ledger.settle(keyOf(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
  await ledger.finishJob(keyOf(1), { credits: 5 }, { outcome: 'succeeded' });
  for (const row of [2, 3]) await ledger.intend(keyOf(row), intent);
  await ledger.closeBatch(name);
}

const again = (...flags: string[]): Promise<Ended> => line.run('run', 'lines.csv', ...flags);
const settingsNow = async (): Promise<BatchSettings> => {
  const batch = await withLedger((ledger) => ledger.findBatch('lines'));
  if (batch === undefined) throw new Error('the batch is gone');
  return batch.settings;
};

describe('run on a batch that is there', () => {
  it('changes nothing without flags, whatever the config says by now', async () => {
    const before = await settingsNow();
    await writeFile('voxbatch.config.json', '{"budget":1,"halt":"now,fail=1","limits":{"rate":1},"confirmAbove":0}');
    const { code, stderr } = await again();
    expect(code).toBe(10);
    expect(stderr).not.toContain('from now on');
    expect(await settingsNow()).toEqual(before);
  });

  it('keeps --out in what it advises: the next command would leave that folder as it is', async () => {
    const { stderr } = await again('--out', 'res');
    expect(stderr).toContain('To send it, at its price: voxbatch redrive lines --out res --where outcome=cancelled\n');
    expect((await again('--out', 'out/lines')).stderr).not.toContain('--out');
  });

  it('keeps its dialect, although the config names another by now, in which its rows cannot be', async () => {
    await writeFile('voxbatch.config.json', '{"apiDialect":"legacy"}');
    expect((await again()).code).toBe(10);
    const planned = await line.json('plan', 'lines.csv', '--json');
    expect(planned).toMatchObject({ code: 0, value: { api_dialect: 'v1', existing: { state: 'closed' } } });
    const renamed = await line.run('run', 'lines.csv', '--name', 'other');
    expect(renamed.code).toBe(2);
    expect(renamed.stderr).toContain('stt rows need --api-dialect v1');
  });

  it('goes on with fields that an earlier version sent and a new batch may not have', async () => {
    const manifest = 'id,audio,api.audioUrl\na,https://media.example/a.mp3,https://media.example/b.mp3\n';
    await writeFile('old.csv', manifest);
    await withLedger((ledger) => addFinished(ledger, 'old', { manifest }));
    expect((await line.run('run', 'old.csv')).code).toBe(10);
    const renamed = await line.run('run', 'old.csv', '--name', 'other');
    expect(renamed.code).toBe(2);
    expect(renamed.stderr).toContain('line 2, id a, column api.audioUrl: expected an empty cell');
    expect(simulator.ledger()).toEqual([]);
  });

  it('takes the flags that it was read with, without its dialect, and refuses another one', async () => {
    await withLedger((ledger) => addFinished(ledger, 'spoken', { kind: 'stt', apiDialect: 'legacy=20%' }));
    const [file, named] = ['lines.csv', ['--name', 'spoken', '--kind', 'stt']];
    expect((await line.run('run', file, ...named)).code).toBe(10);
    const { code, stderr } = await line.run('run', file, ...named, '--api-dialect', 'legacy=30%');
    expect(code).toBe(2);
    expect(stderr).toContain('taken by a batch that speaks to the API with --api-dialect legacy=20%, for good');
  });

  it('keeps the --submits that is given, also if as many would follow from its rows', async () => {
    expect(await settingsNow()).toMatchObject({ submitsByRows: true, limits: { submits: 2 } });
    expect((await again('--submits', '2')).stderr).toContain('from now on: submits 2.');
    expect(await settingsNow()).toMatchObject({ submitsByRows: false, limits: { submits: 2 } });
    expect((await again('--submits', '2')).stderr).not.toContain('from now on');
  });

  it('is planned with the rows that its budget left out, and the command that sends them', async () => {
    const manifest = 'id,text,voice\na,Text of a.,anna\nb,Text of b.,anna\nc,Text of c.,anna\n';
    await writeFile('spent.csv', manifest);
    await withLedger((ledger) => addSpent(ledger, 'spent', manifest));
    const { code, stdout, stderr } = await line.run('plan', 'spent.csv');
    expect(code).toBe(0);
    expect(stdout).toContain('\nOver the budget, and left out again: 2 rows, 10 credits.\n');
    const sends = 'voxbatch run spent.csv --budget 15';
    expect(stderr).toContain(`To send the 2 rows over the budget, too: ${sends}`);
    const { value } = await line.json('plan', 'spent.csv', '--json');
    expect(value).toMatchObject({ rows: 0, existing: { over_budget: { rows: 2, credits: 10, enough: 15 } } });
    const larger = await line.run('plan', 'spent.csv', '--budget', '15');
    expect(larger.stdout).toContain('Left to pay for: 2 rows.');
    expect(larger.stdout).not.toContain('left out');
    expect(larger.stderr).toContain(`To continue it: ${sends}.`);
    expect(simulator.ledger()).toEqual([]);
  });

  it('is planned with the steps of its summary: what the API refused is not advised to be sent as it is', async () => {
    const cancelled = await line.run('plan', 'lines.csv', '--out', 'res');
    expect(cancelled.stderr).toMatch(
      /writes its files: voxbatch run lines\.csv --out res\.\n {2}1 row cancelled\. To send it, at its price: voxbatch redrive lines --out res --where outcome=cancelled\n/,
    );
    const failure = { class: 'BadRequest', message: 'No such voice.' } as const;
    await withLedger((ledger) => addFinished(ledger, 'refused', { ending: { outcome: 'failed', failure } }));
    const refused = await line.run('plan', 'lines.csv', '--name', 'refused');
    expect(refused.stderr).toContain(
      '\n  1 row rejected by the API, not charged. Why: voxbatch explain a --batch refused. Fix it in',
    );
    expect(refused.stderr).not.toContain('redrive');
    const run = await line.run('run', 'lines.csv', '--name', 'refused');
    const [step = ''] = /1 row rejected.*/.exec(refused.stderr) ?? [];
    expect(run.stderr).toContain(step);
  });

  it('takes the limits that are given, and says so', async () => {
    const before = await settingsNow();
    const { code, stderr } = await again(
      '--budget',
      '500',
      '--halt',
      'soon,fail=5%',
      '--retakes',
      '1',
      '--window',
      '9',
    );
    expect(code).toBe(10);
    expect(stderr).toContain(
      'Batch "lines" from now on: budget 500 credits, halt soon,fail=5%, retakes 1, window 9.\n',
    );
    expect(await settingsNow()).toEqual({
      ...before,
      budget: 500,
      halt: { when: 'soon', fail: 5, unit: 'percent' },
      retakes: 1,
      limits: { ...before.limits, window: 9 },
    });
  });

  it('checks and asks nothing again, and says which flags cannot matter any more', async () => {
    const { code, stderr } = await again('--confirm', '0', '--probe', '--assume-seconds', '5');
    expect(code).toBe(10);
    expect(stderr).toContain('Its rows keep their original prices (--probe, --assume-seconds).');
    expect(simulator.ledger()).toEqual([]);
  });

  it('refuses another template of file names, and takes the same', async () => {
    const { code, stderr } = await again('--file-name', '{row}.{ext}');
    expect(code).toBe(2);
    expect(stderr).toContain('taken by a batch that names its files differently (--file-name {id}.{ext})');
    const planned = await line.run('plan', 'lines.csv', '--file-name', '{row}.{ext}');
    expect(planned.stdout).toContain(
      'A batch of this manifest, made with other flags, has this name: 1 of 1 row done.',
    );
    expect((await again('--file-name', '{id}.{ext}')).code).toBe(10);
  });

  it('of an edited manifest offers a redrive, and the same command under another name', async () => {
    await writeFile('lines.csv', MANIFEST.replace('a.mp3', 'b.mp3'));
    const { code, stderr } = await again('--budget', '500', '--halt', 'soon,fail=5%', '--assume-seconds', '3');
    expect(code).toBe(2);
    expect(stderr).toContain('The name "lines" is taken by a batch that has another manifest. Nothing was spent.');
    expect(stderr).toContain('\n  voxbatch redrive lines --from lines.csv    pays only for edited rows');
    expect(stderr).toContain(
      '\n  voxbatch run lines.csv --budget 500 --halt soon,fail=5% --assume-seconds 3 --name NEW-NAME    runs this manifest as a new batch, and pays for the rows without a result to reuse\n',
    );
    const planned = await line.run('plan', 'lines.csv');
    expect(planned.stdout).toMatch(
      /^Batch "lines" .*\nAnother batch has this name: 1 of 1 row done\. run refuses it\.\nThese are the figures of a new/,
    );
  });

  it('of a manifest with long texts is planned as a new batch, which cuts them', async () => {
    await writeFile('voxbatch.config.json', '{"textLimit":30}');
    await writeFile('lines.csv', 'id,text,voice\na,First comes one sentence. Then comes one more.,v\n');
    const parts = await line.json('plan', 'lines.csv', '--split', 'sentences', '--json');
    expect(parts.value).toMatchObject({ requests: 2, run: 'refuse', existing: { differs: 'manifest' } });
    // run refuses the name before it looks at the text.
    const whole = await line.run('plan', 'lines.csv');
    expect(whole).toMatchObject({ code: 0, stderr: expect.stringContaining('The name "lines" is taken') });
  });

  it('offers no redrive where the rows of the edited manifest cannot be told', async () => {
    await writeFile('lines.csv', 'audio,duration\nhttps://media.example/b.mp3,\n');
    const { code, stderr } = await again();
    expect(code).toBe(2);
    expect(stderr).not.toContain('redrive');
    expect(stderr).toContain('voxbatch run lines.csv --name NEW-NAME');
  });
});
