/** @slow */
import { writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AttemptKey, BatchSettings } from '../../../contract/batch.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { Flags } from '../../../starters/commands/flags.ts';
import { expectRun, json, lineAtSimulator, run } from '../command-line.ts';
import { recordBatch, withLedger } from './record-batch.ts';

/** `run` on a batch that is finished: what its flags change then. It needs no Temporal. */

const MANIFEST = 'id,audio,duration\na,https://media.example/a.mp3,\n';
const COLUMNS = ['id', 'audio', 'duration'];
lineAtSimulator();
beforeEach(async () => {
  await writeFile('lines.csv', MANIFEST);
  await addFinished();
  // No command has made it.
  await run('trust');
});

interface Made {
  readonly name?: string;
  readonly manifest?: string;
  readonly flags?: Flags;
}

/** The one that `run lines.csv` makes, as it is when its row has ended. */
const addFinished = (
  { name = 'lines', manifest = MANIFEST, flags = {} }: Made = {},
  ending: Parameters<Ledger['giveUp']>[1] = { outcome: 'cancelled' },
): Promise<void> =>
  withLedger(async (ledger) => {
    const loading = await recordBatch(ledger, { name, manifest, columns: COLUMNS, flags });
    const spec = { kind: 'stt', audio: 'https://media.example/a.mp3', extra: {} } as const;
    await ledger.addRows(loading, [{ row: 1, id: 'a', line: 2, spec, input: ['a', spec.audio, ''], quoted: null }]);
    await ledger.openBatch(loading, 1);
    await ledger.giveUp({ batch: name, row: 1, step: 'speech', take: 1, attempt: 1 }, ending);
    await ledger.closeBatch(name);
  });

/** A batch of three lines of speech, 5 credits each, whose budget had room for the first, or of which only that was chosen. */
const addSpent = (name: string, manifest: string, isNotChosen = false): Promise<void> =>
  withLedger(async (ledger) => {
    const loading = await recordBatch(ledger, {
      name,
      manifest,
      columns: ['id', 'text', 'voice'],
      flags: { budget: '5' },
    });
    const rows = ['a', 'b', 'c'].map((id, index) => {
      const spec = { kind: 'tts', text: `Text of ${id}.`, voice: 'anna', extra: {} } as const;
      return {
        row: index + 1,
        id,
        line: index + 2,
        spec,
        input: [id, spec.text, spec.voice],
        quoted: 5,
        isNotChosen: isNotChosen && index > 0,
      };
    });
    await ledger.addRows(loading, rows);
    await ledger.openBatch(loading, 3);
    const keyOf = (row: number): AttemptKey => ({ batch: name, row, step: 'speech', take: 1, attempt: 1 });
    const intent = { quoted: 5, quotedRest: 0, owner: 'w', maxSending: 8 };
    await ledger.intend(keyOf(1), intent);
    await ledger.settle(keyOf(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    await ledger.finishJob(keyOf(1), { credits: 5 }, { outcome: 'succeeded' });
    for (const row of isNotChosen ? [] : [2, 3]) await ledger.intend(keyOf(row), intent);
    await ledger.closeBatch(name);
  });

const settingsNow = async (): Promise<BatchSettings> => {
  const batch = await withLedger((ledger) => ledger.findBatch('lines'));
  if (batch === undefined) throw new Error('the batch is gone');
  return batch.settings;
};
const configure = (config: string): Promise<void> => writeFile('voxbatch.config.json', config);

describe('run on a batch that is there', () => {
  it('changes nothing without flags, whatever the config says by now', async () => {
    const before = await settingsNow();
    await configure('{"budget":1,"halt":"now,fail=1","limits":{"rate":1},"confirmAbove":0}');
    await expectRun('run lines.csv', 10, { not: 'from now on' });
    expect(await settingsNow()).toEqual(before);
  });

  it('keeps --out in what it advises: the next command would leave that folder as it is', async () => {
    const sends = 'To send it, at its price: voxbatch redrive lines --out res --where outcome=cancelled\n';
    await expectRun('run lines.csv --out res', 10, sends);
    await expectRun('run lines.csv --out out/lines', 10, { not: '--out' });
  });

  it('keeps its dialect, although the config names another by now, in which its rows cannot be', async () => {
    await configure('{"apiDialect":"legacy"}');
    await expectRun('run lines.csv', 10);
    const value = { api_dialect: 'v1', existing: { state: 'closed' } };
    expect(await json('plan lines.csv')).toMatchObject({ code: 0, value });
    await expectRun('run lines.csv --name other', 2, 'stt rows need --api-dialect v1');
  });

  it('goes on with fields that an earlier version sent and a new batch may not have', async () => {
    const manifest = 'id,audio,api.audioUrl\na,https://media.example/a.mp3,https://media.example/b.mp3\n';
    await writeFile('old.csv', manifest);
    await addFinished({ name: 'old', manifest });
    await expectRun('run old.csv', 10);
    const refusal = 'line 2, id a, column api.audioUrl: expected an empty cell';
    await expectRun('run old.csv --name other', 2, refusal);
  });

  it('takes the flags that it was read with, without its dialect, and refuses another one', async () => {
    await addFinished({ name: 'spoken', flags: { kind: 'stt', apiDialect: 'legacy=20%' } });
    const command = 'run lines.csv --name spoken --kind stt';
    await expectRun(command, 10);
    const taken = 'taken by a batch that speaks to the API with --api-dialect legacy=20%, for good';
    await expectRun(`${command} --api-dialect legacy=30%`, 2, taken);
  });

  it('keeps the --submits that is given, also if as many would follow from its rows', async () => {
    expect(await settingsNow()).toMatchObject({ submitsByRows: true, limits: { submits: 2 } });
    await expectRun('run lines.csv --submits 2', 10, 'from now on: submits 2.');
    expect(await settingsNow()).toMatchObject({ submitsByRows: false, limits: { submits: 2 } });
    await expectRun('run lines.csv --submits 2', 10, { not: 'from now on' });
  });

  it('is planned with the rows that its budget left out, and the command that sends them', async () => {
    const manifest = 'id,text,voice\na,Text of a.,anna\nb,Text of b.,anna\nc,Text of c.,anna\n';
    await writeFile('spent.csv', manifest);
    await addSpent('spent', manifest);
    const sends = 'voxbatch run spent.csv --budget 15';
    const out = '\nOver the budget, and left out again: 2 rows, 10 credits.\n';
    await expectRun('plan spent.csv', 0, { out, err: `To send the 2 rows over the budget, too: ${sends}` });
    const { value } = await json('plan spent.csv');
    expect(value).toMatchObject({ rows: 0, existing: { over_budget: { rows: 2, credits: 10, enough: 15 } } });
    const larger = { out: 'Left to pay for: 2 rows.', err: `To continue it: ${sends}.`, not: 'left out' };
    await expectRun('plan spent.csv --budget 15', 0, larger);
  });

  it('is not called finished by a plan that pays for rows which were not chosen before', async () => {
    const manifest = 'id,text,voice\na,Text of a.,anna\nb,Text of b.,anna\nc,Text of c.,anna\n';
    await writeFile('tried.csv', manifest);
    await addSpent('tried', manifest, true);
    const out = 'It is on record: 1 of 1 row done. Left to pay for: 2 rows.\nThe rows chosen before have ended.\n';
    await expectRun('plan tried.csv --budget 100', 0, { out, not: 'It is finished' });
  });

  it('is planned with the steps of its summary: what the API refused is not advised to be sent as it is', async () => {
    const files = 'writes its files: voxbatch run lines.csv --out res.\n';
    const sends =
      '1 row cancelled. To send it, at its price: voxbatch redrive lines --out res --where outcome=cancelled\n';
    await expectRun('plan lines.csv --out res', 0, `${files}  ${sends}`);
    const failure = { class: 'BadRequest', message: 'No such voice.' } as const;
    await addFinished({ name: 'refused' }, { outcome: 'failed', failure });
    const step = '1 row rejected by the API, not charged. Why: voxbatch explain a --batch refused. Fix it in';
    const { stderr } = await expectRun('plan lines.csv --name refused', 0, { err: `\n  ${step}`, not: 'redrive' });
    expect((await run('run lines.csv --name refused')).stderr).toContain(/1 row rejected.*/.exec(stderr)?.[0]);
  });

  it('takes the limits that are given, and says so', async () => {
    const before = await settingsNow();
    const told = 'Batch "lines" from now on: budget 500 credits, halt soon,fail=5%, retakes 1, window 9.\n';
    await expectRun('run lines.csv --budget 500 --halt soon,fail=5% --retakes 1 --window 9', 10, told);
    const halt = { when: 'soon', fail: 5, unit: 'percent' };
    const limits = { ...before.limits, window: 9 };
    expect(await settingsNow()).toEqual({ ...before, budget: 500, halt, retakes: 1, limits });
  });

  it('checks and asks nothing again, and says which flags cannot matter any more', async () => {
    const keep = 'Its rows keep their original prices (--probe, --assume-seconds).';
    await expectRun('run lines.csv --confirm 0 --probe --assume-seconds 5', 10, keep);
  });

  it('refuses another template of file names, and takes the same', async () => {
    const taken = 'taken by a batch that names its files differently (--file-name {id}.{ext})';
    await expectRun('run lines.csv --file-name {row}.{ext}', 2, taken);
    const out = 'A batch of this manifest, made with other flags or another cast, has this name: 0 of 1 row done.';
    await expectRun('plan lines.csv --file-name {row}.{ext}', 0, { out });
    await expectRun('run lines.csv --file-name {id}.{ext}', 10);
  });

  it('of an edited manifest offers a redrive, and the same command under another name', async () => {
    await writeFile('lines.csv', MANIFEST.replace('a.mp3', 'b.mp3'));
    const command = 'run lines.csv --budget 500 --halt soon,fail=5% --assume-seconds 3';
    await expectRun(command, 2, [
      'The name "lines" is taken by a batch that has another manifest. Nothing was spent.',
      '\n  voxbatch redrive lines --from lines.csv    pays only for edited rows',
      `\n  voxbatch ${command} --name NEW-NAME    runs this manifest as a new batch, and pays for the rows without a result to reuse\n`,
    ]);
    const refuses = 'Another batch has this name: 0 of 1 row done. run refuses it.\nThese are the figures of a new';
    await expectRun('plan lines.csv', 0, { out: [/^Batch "lines" .*\nAnother/, refuses] });
  });

  it('of a manifest with long texts is planned as a new batch, which cuts them', async () => {
    await configure('{"textLimit":30}');
    await writeFile('lines.csv', 'id,text,voice\na,First comes one sentence. Then comes one more.,v\n');
    const { value } = await json('plan lines.csv --split sentences');
    expect(value).toMatchObject({ requests: 2, run: 'refuse', existing: { differs: 'manifest' } });
    // run refuses the name before it looks at the text.
    await expectRun('plan lines.csv', 0, 'The name "lines" is taken');
  });

  it('offers no redrive where the rows of the edited manifest cannot be told', async () => {
    await writeFile('lines.csv', 'audio,duration\nhttps://media.example/b.mp3,\n');
    await expectRun('run lines.csv', 2, { err: 'voxbatch run lines.csv --name NEW-NAME', not: 'redrive' });
  });
});

describe('a row whose answer another batch has lost', () => {
  const lost = { outcome: 'unknown', failure: { class: 'OutcomeUnknown', message: 'No answer came.' } } as const;

  it('is named by plan as one that may be charged a second time, in text and as JSON', async () => {
    await addFinished({ name: 'monday' }, lost);
    const out = /1 row may be charged a second time: "monday" .*: voxbatch reconcile monday$/mu;
    await expectRun('plan lines.csv --name tuesday', 0, { out });
    const { value } = await json('plan lines.csv --name tuesday');
    expect(value['second_charges']).toMatchObject([{ batch: 'monday', rows: 1, first_ids: ['a'] }]);
    expect((await json('plan lines.csv --name tuesday --cache only')).value['second_charges']).toEqual([]);
  });

  it('is named, too, where it joins a batch that had left it out: by plan, and by run before anything is approved', async () => {
    await addFinished({ name: 'monday' }, lost);
    await withLedger(async (ledger) => {
      const made = { name: 'tuesday', manifest: MANIFEST, columns: COLUMNS, flags: { budget: '5' } };
      const loading = await recordBatch(ledger, made);
      const spec = { kind: 'stt', audio: 'https://media.example/a.mp3', extra: {} } as const;
      const row = { row: 1, id: 'a', line: 2, spec, input: ['a', spec.audio, ''], quoted: 9, isNotChosen: true };
      await ledger.addRows(loading, [row]);
      await ledger.openBatch(loading, 1);
      await ledger.closeBatch('tuesday');
    });
    const warning = /1 row may be charged a second time: "monday" .*: voxbatch reconcile monday$/mu;
    await expectRun('plan lines.csv --name tuesday', 0, { out: warning });
    const { value } = await json('plan lines.csv --name tuesday');
    expect(value['second_charges']).toMatchObject([{ batch: 'monday', rows: 1, first_ids: ['a'] }]);
    await expectRun('run lines.csv --name tuesday', 3, { err: warning });
  });

  it.each([
    ['in doubt', lost, 13, /^voxbatch (?:reconcile|redrive) tuesday/],
    ['left out', { outcome: 'skipped', failure: { class: 'OverBudget', message: 'x' } } as const, 12, /^voxbatch run /],
  ])('is a row of a batch that says with --json how to go on, as its text does: %s', async (_, ending, code, next) => {
    await addFinished({ name: 'tuesday', flags: { budget: '5' } }, ending);
    const ended = await run('run lines.csv --name tuesday --json');
    expect(ended.code).toBe(code);
    const value = JSON.parse(ended.stdout) as { readonly next: string };
    expect(value.next).toMatch(next);
    expect(ended.stderr).toContain(value.next);
  });
});
