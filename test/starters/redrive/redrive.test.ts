/** @slow */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { claimFolder } from '../../../store/owner-file.ts';
import { addSampleBatch } from '../../results/sample-batch.ts';
import { type Ended, run, json } from '../command-line.ts';
import { placeAtSimulator } from '../place-for-each.ts';

/**
 * What `redrive` says and refuses before it spends. The sample batch is of another API than the simulator, so that a command which
 * would spend ends at that door; test/live/redrive.test.ts goes through it.
 */

const invocation = placeAtSimulator({
  atEnd: async () => {
    expect((await invocation.place.ledger.findBatch('demo'))?.state).toBe('closed');
    expect(invocation.simulator.ledger()).toEqual([]);
  },
});
const { place } = invocation;
beforeEach(() => addSampleBatch(place));

/** Expects that all was well up to the door. */
function expectAtDoor(ended: Ended, ...said: string[]): void {
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  for (const words of said) expect(ended.stderr).toContain(words);
  expect(ended.stderr).toContain('Batch "demo" ran against https://api.example/api/open/v1');
}

/** Expects a refusal that changed nothing. */
function expectRefused(ended: Ended, ...said: (string | RegExp)[]): void {
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  for (const words of said) expect(ended.stderr).toMatch(words);
  expect(ended.stderr).toMatch(/nothing was spent/i);
}

describe('redrive: which rows', () => {
  it.each([
    [['--where', 'outcome=failed'], '1 row to send, from speech on'],
    [['--where', 'class=BadRequest', '--where', 'kind=tts'], '1 row to send, from speech on'],
    [['--where', 'outcome=failed,cancelled'], '2 rows to send, from speech on'],
    [['--where', 'outcome=overdue'], '1 row whose job was paid for: wait for the result again, free'],
    [['--rows', 'd, 7'], '2 rows to send, from speech on'],
    [['--rows', 'd', '--rows', '#7'], '2 rows to send, from speech on'],
    [
      ['--rows', 'a', '--where', 'outcome=succeeded', '--yes'],
      '1 of these has a result, which the new one replaces: a; if a new take fails, its row keeps the result that it has',
    ],
    [['--where', 'kind=dub', '--step', 'lip-sync', '--yes'], '1 row to send, from lip-sync on'],
  ])('%j', async (words, said) => {
    expectAtDoor(await run('redrive', 'demo', ...words), said);
  });

  it('replaces no result unasked: without a terminal it needs --yes', async () => {
    const { code, stderr } = await run('redrive', 'demo', '--rows', 'a,d');
    expect(code).toBe(3);
    expect(stderr).toContain('1 of these has a result, which the new one replaces: a');
    expect(stderr).toContain(
      'Not confirmed: 1 row would be paid for again and lose its result, and there is no terminal to ask on. ' +
        'Nothing was changed. Nothing was spent. To continue, run the same command with --yes.',
    );
  });

  it('takes no file for lost in a store of nobody, and pays for no lost file unasked', async () => {
    const { ledger, store } = place;
    await rm(join(store.folder, 'demo/2-transcription-1.txt'));
    const elsewhere = await run('redrive', 'demo', '--rows', 'b');
    expect(elsewhere.code).toBe(2);
    expect(elsewhere.stderr).toMatch(/is not in .*store, so no file of batch "demo" is taken for lost/);
    await claimFolder(store.folder, ledger.id);
    const dry = await run('redrive', 'demo', '--rows', 'b', '--dry-run');
    expect(dry.stdout).toMatch(/Pay again for 1 row whose stored file is lost\? \(--yes confirms\)/);
    const { code, stderr } = await run('redrive', 'demo', '--rows', 'b');
    expect(code).toBe(3);
    expect(stderr).toContain('1 of these has been paid for before: b (its stored file is lost)');
    expect(stderr).toContain('Not confirmed: 1 row would be paid for again, and there is no terminal to ask on.');
  });

  it('begins an empty store only if a person says that the files are lost for good', async () => {
    await rm(join(place.store.folder, 'demo/2-transcription-1.txt'));
    await run('cache', 'show', 'a', 'demo');
    const refused = await run('redrive', 'demo', '--damaged');
    expectRefused(refused, /lost for good.*: voxbatch redrive demo --damaged --new-store/);
    const dry = await run('redrive', 'demo', '--damaged', '--new-store', '--dry-run');
    expectRefused(dry, /--new-store cannot be combined with --dry-run/);
    const { code, stderr } = await run('redrive', 'demo', '--damaged', '--new-store');
    expect(code).toBe(3);
    expect(stderr).toContain('1 of these has been paid for before: b (its stored file is lost)');
  });

  it('opens no row where the store is of another ledger', async () => {
    const { ledger, store } = place;
    await claimFolder(store.folder, 'another');
    const { code, stderr } = await run('redrive', 'demo', '--rows', 'f');
    expect(code).toBe(2);
    expect(stderr).toMatch(/belong to another ledger than .* Nothing was spent/);
    expect((await ledger.findBatch('demo'))?.state).toBe('closed');
  });

  it('chooses all rows whose stored files are lost by --damaged, subtitles too, and no other row', async () => {
    await claimFolder(place.store.folder, place.ledger.id);
    for (const lost of ['1-speech-1.mp3', '2-transcription-1.srt'])
      await writeFile(join(place.store.folder, 'demo', lost), 'damaged');
    const words = ['redrive', 'demo', '--damaged'];
    const { value } = await json(...words, '--dry-run', '--json');
    expect(value).toMatchObject({ rows: 2, paying: 1, waits: 1, replaced: 1, lost: 1 });
    expect((await run(...words)).stderr).toContain('Not confirmed: 1 row would be paid for again,');
    expectAtDoor(
      await run(...words, '--rows', 'a,c'),
      'Redrive of batch "demo", at a cost of nothing\n  1 row whose job was paid for',
    );
  });

  it('says what it will cost, and that jobs that were paid are free', async () => {
    expectAtDoor(await run('redrive', 'demo', '--rows', 'f'), 'Redrive of batch "demo", at a cost of nothing');
    expectAtDoor(await run('redrive', '--rows', 'd'), 'at a cost of ~0 credits and the unknown price of 1 row');
  });

  it('says first that there is no such batch', async () => {
    const { code, stderr } = await run('redrive', 'Export');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('no batch "Export"') });
    expect(stderr).not.toContain('Which rows?');
  });

  it.each([
    [['--where', 'class=JobFailed'], 'No row of batch "demo" matches. Nothing is sent.'],
    [['--where', 'outcome=failed', '--where', 'outcome=cancelled'], 'No row of batch "demo" matches.'],
    [['--where', 'kind=stt'], '1 row left out: a result exists'],
  ])('%j means none: it says so and ends as the batch stands', async (words, said) => {
    const { code, stderr } = await run('redrive', 'demo', ...words);
    expect({ code, stderr }).toMatchObject({ code: 13 });
    expect(stderr).toContain(said);
  });

  it.each([
    [[], /Which rows\?/],
    [['--where', 'outcome=failed', '--from', 'x.csv'], /--from cannot be combined with/],
    [['--damaged', '--step', 'speech'], /--damaged cannot be combined with/],
    [['--where', 'outcome=broken'], /outcome= one of succeeded, cached, failed, .*; got "broken"/],
    [['--where', 'colour=red'], /expected outcome=…, class=…, kind=…/],
    [['--where', 'failed'], /expected outcome=…/],
    [['--rows', 'd,zz,99'], /has no row "zz", "99"\. Expected ids, or numbers from 1 to 7\./],
    [['--rows', ''], /names no row/],
    [['--rows', 'd', '--step', 'opera'], /expected one of speech, verification, transcription, lip-sync/],
  ])('%j is refused', async (words, said) => {
    const from = words.includes('x.csv') ? writeFile('x.csv', 'id,text,voice\nd,x,y\n') : undefined;
    await from;
    expectRefused(await run('redrive', 'demo', ...words), said);
  });
});

describe('redrive: rows that may be paid already', () => {
  it('are named, with the choices, and nothing is done for the others either', async () => {
    const ended = await run('redrive', 'demo', '--where', 'outcome=failed,unknown');
    expectRefused(
      ended,
      'e (row 5): the answer to its speech request was lost',
      'voxbatch reconcile demo ',
      // For this row only: with the say the others would be paid for, too.
      'voxbatch redrive demo --rows e --resubmit ',
      'leave these rows out (--rows, --where)',
    );
    expect(ended.stderr).not.toContain('row 4');
    const alone = await run('redrive', 'demo', '--where', 'outcome=unknown');
    expectRefused(alone, 'voxbatch redrive demo --where outcome=unknown --resubmit ');
  });

  it('are paid for with --resubmit', async () => {
    const said = '1 of these may be charged twice for one result';
    expectAtDoor(await run('redrive', 'demo', '--where', 'outcome=unknown', '--resubmit'), said);
    expectAtDoor(await run('redrive', 'demo', '--where', 'outcome=overdue', '--resubmit'), said);
  });

  it('are refused for a step that their kind lacks', async () => {
    expectRefused(await run('redrive', 'demo', '--rows', 'd', '--step', 'lip-sync'), 'its kind has no step lip-sync');
  });
});

describe('redrive --from and run of an outcome file', () => {
  beforeEach(async () => {
    await run('results', 'demo');
  });

  const outcomeFile = (name: string): Promise<string> => readFile(`out/demo/${name}`, 'utf8');

  it('refuses what cannot be read, all problems at once', async () => {
    await writeFile('edited.csv', 'id,kind,text,1\nd,tts,,\nzz,opera,x,\n');
    expectRefused(await run('redrive', 'demo', '--from', 'edited.csv'), /line 2.*line 3/s, 'has 3 problems');
  });

  it.each([
    ['id,kind,text,voice,1\nd,tts,x,anna,\n', /"voice", unknown to the batch/],
    ['id,text,voice,1\nd,x,anna,\n', /lacks "kind"/],
    ['kind,text,1\ntts,x,\n', /cannot be told: it has no column id|line 2/],
  ])('refuses columns that the batch has not, or lacks: %j', async (content, said) => {
    await writeFile('edited.csv', content);
    expectRefused(await run('redrive', 'demo', '--from', 'edited.csv', '--step', 'speech'), said);
  });

  it('refuses a file of a batch that is not here, with the choices', async () => {
    await writeFile('failed.csv', 'id,kind,text,voice,_batch,_outcome\na,tts,Hello,anna,spring,failed\n');
    const ended = await run('run', 'failed.csv');
    expectRefused(ended, 'batch "spring", which is not in this ledger', 'voxbatch run failed.csv --name NEW-NAME');
  });

  it('refuses rows of two batches in one file', async () => {
    await writeFile('failed.csv', 'id,text,voice,_batch,_outcome\na,x,y,demo,failed\nb,x,y,spring,failed\n');
    expectRefused(await run('run', 'failed.csv'), /line 3.*rows of one batch/);
  });

  it('refuses flags that say what is on record', async () => {
    expect(await outcomeFile('unknown.csv')).toContain('demo,5');
    for (const flags of [
      ['--name', 'other'],
      ['--voice', 'anna'],
      ['--kind', 'tts'],
      ['--assume-seconds', '3'],
    ]) {
      expectRefused(await run('run', 'out/demo/unknown.csv', ...flags), 'cannot be combined with that');
    }
  });

  it('takes a file with the words of an older version for the same', async () => {
    const now = await outcomeFile('failed.csv');
    const older = now.replace(',failed,', ',refused,').replace('BadRequest', 'Rejected');
    expect(older).not.toBe(now);
    await writeFile('failed.csv', now);
    await writeFile('refused.csv', older);
    const [ended, endedOlder] = [await run('run', 'failed.csv'), await run('run', 'refused.csv')];
    expect(endedOlder).toEqual({ ...ended, stderr: ended.stderr.replaceAll('failed.csv', 'refused.csv') });
  });

  it.each([
    ['run', []],
    ['plan', []],
    ['redrive', ['--from']],
  ])(
    '%s says of a file that is gone that all its rows have ended otherwise, and how to look',
    async (command, flags) => {
      const ended = await run(command, ...flags, 'out/demo/unfit.csv');
      expectRefused(
        ended,
        'Batch "demo" has no unfit rows any more, so there is no out/demo/unfit.csv.',
        /voxbatch status demo\n$/,
      );
      expect(ended.stderr).not.toContain('voxbatch init');
      // The summary counts such rows: somebody has removed the file.
      await rm('out/demo/failed.csv');
      expect((await run(command, ...flags, 'out/demo/failed.csv')).stderr).toContain('cannot read the manifest');
      expect((await run(command, ...flags, 'out/demo/none.csv')).stderr).toContain('cannot read the manifest');
    },
  );

  it('refuses --resubmit with a manifest that is no outcome file', async () => {
    await writeFile('lines.csv', 'text,voice\nHello,anna\n');
    expectRefused(await run('run', 'lines.csv', '--resubmit'), '--resubmit is only for outcome files');
  });
});
