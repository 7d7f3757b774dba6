/** @slow */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { claimFolder } from '../../../store/owner-file.ts';
import { addSampleBatch } from '../../results/sample-batch.ts';
import { type Ended, expectRefused, expectRun, json, placeAtSimulator, run } from '../command-line.ts';

/**
 * What `redrive` says and refuses before it spends. The sample batch is of another API than the simulator, so that a command which
 * would spend ends at that door; test/live/redrive.test.ts goes through it.
 */

const { place } = placeAtSimulator(async ({ ledger }) => {
  expect((await ledger.findBatch('demo'))?.state).toBe('closed');
});
beforeEach(() => addSampleBatch(place));

/** Expects that all was well up to the door. */
const expectAtDoor = (line: string, ...said: string[]): Promise<Ended> =>
  expectRun(line, 2, { out: '', err: [...said, 'Batch "demo" ran against https://api.example/api/open/v1'] });

/** Takes a file out of the store. */
const lose = (file: string): Promise<void> => rm(join(place.store.folder, 'demo', file));

describe('redrive: which rows', () => {
  it.each([
    ['--where outcome=failed', '1 row to send, from speech on'],
    ['--where class=BadRequest --where kind=tts', '1 row to send, from speech on'],
    ['--where outcome=failed,cancelled', '2 rows to send, from speech on'],
    ['--where outcome=overdue', '1 row whose job was paid for: wait for the result again, free'],
    ['--where outcome=overdue', 'Redrive of batch "demo", at a cost of nothing'],
    ['--rows d', 'at a cost of ~0 credits and the unknown price of 1 row'],
    ['--rows d,7', '2 rows to send, from speech on'],
    ['--rows d --rows #7', '2 rows to send, from speech on'],
    ['--rows a --where outcome=succeeded --yes', '1 of these has a result, which the new one replaces: a; if a new'],
    ['--where kind=dub --step lip-sync --yes', '1 row to send, from lip-sync on'],
  ])('%s', (words, said) => expectAtDoor(`redrive demo ${words}`, said));

  it('replaces no result unasked: without a terminal it needs --yes', async () => {
    const refusal =
      'Not confirmed: 1 row would be paid for again (1 with a result, which the new one replaces; the former file stays in the store), and there is no terminal to ask on. ' +
      'Nothing was changed. Nothing was spent. To continue, run the same command with --yes.';
    const replaces = '1 of these has a result, which the new one replaces: a';
    await expectRun('redrive demo --rows a,d', 3, [replaces, refusal]);
  });

  it('takes no file for lost in a store of nobody, and pays for no lost file unasked', async () => {
    await lose('2-transcription-1.txt');
    const nobody = /is not in .*store, so no file of batch "demo" is taken for lost/;
    await expectRun('redrive demo --rows b', 2, nobody);
    await claimFolder(place.store.folder, place.ledger.id);
    const out = 'Pay again for 1 row whose stored file is lost? (--yes confirms)';
    await expectRun('redrive demo --rows b --dry-run', 0, { out });
    await expectRun('redrive demo --rows b', 3, [
      '1 of these has been paid for before: b (its stored file is lost)',
      'Not confirmed: 1 row would be paid for again, and there is no terminal to ask on.',
    ]);
  });

  it('begins an empty store only if a person says that the files are lost for good', async () => {
    await lose('2-transcription-1.txt');
    await run('cache show a demo');
    const begin = 'redrive demo --damaged --new-store';
    await expectRefused('redrive demo --damaged', new RegExp(`lost for good.*: voxbatch ${begin}`));
    await expectRefused(`${begin} --dry-run`, '--new-store cannot be combined with --dry-run');
    await expectRun(begin, 3, '1 of these has been paid for before: b (its stored file is lost)');
  });

  it('opens no row where the store is of another ledger', async () => {
    await claimFolder(place.store.folder, 'another');
    await expectRefused('redrive demo --rows f', 'belong to another ledger than ');
  });

  it('chooses all rows whose stored files are lost by --damaged, subtitles too, and no other row', async () => {
    await claimFolder(place.store.folder, place.ledger.id);
    for (const lost of ['1-speech-1.mp3', '2-transcription-1.srt'])
      await writeFile(join(place.store.folder, 'demo', lost), 'damaged');
    const { value } = await json('redrive demo --damaged --dry-run');
    expect(value).toMatchObject({ rows: 2, paying: 1, waits: 1, replaced: 1, lost: 1 });
    expect((await run('redrive demo --damaged')).stderr).toContain('Not confirmed: 1 row would be paid for again,');
    const free = 'Redrive of batch "demo", at a cost of nothing\n  1 row whose job was paid for';
    await expectAtDoor('redrive demo --damaged --rows a,c', free);
  });

  it('says first that there is no such batch', async () => {
    await expectRun('redrive Export', 2, { err: 'no batch "Export"', not: 'Which rows?' });
  });

  it.each([
    ['--where class=JobFailed', 'No row of batch "demo" matches. Nothing is sent.'],
    ['--where outcome=failed --where outcome=cancelled', 'No row of batch "demo" matches.'],
    ['--where kind=stt', '1 row left out: a result exists'],
  ])('%s means none: it says so and ends as the batch stands', async (words, said) => {
    await expectRun(`redrive demo ${words}`, 13, said);
  });

  it.each([
    ['', 'Which rows?'],
    ['--where outcome=failed --from x.csv', '--from cannot be combined with'],
    ['--damaged --step speech', '--damaged cannot be combined with'],
    ['--where outcome=broken', /outcome= one of succeeded, cached, failed, .*; got "broken"/],
    ['--where colour=red', 'expected outcome=…, class=…, kind=…'],
    ['--where failed', 'expected outcome=…'],
    ['--rows d,zz,99', 'has no row "zz", "99". Expected ids, or numbers from 1 to 7.'],
    ['--rows=', 'names no row'],
    ['--rows d --step opera', 'expected one of speech, verification, transcription, lip-sync'],
    ['--rows d --step lip-sync', 'its kind has no step lip-sync'],
  ])('"%s" is refused', async (words, said) => {
    await writeFile('x.csv', 'id,text,voice\nd,x,y\n');
    await expectRefused(`redrive demo ${words}`, said);
  });
});

describe('redrive: rows that may be paid already', () => {
  it('are named, with the choices, and nothing is done for the others either', async () => {
    const { stderr } = await expectRefused('redrive demo --where outcome=failed,unknown', [
      'e (row 5): the answer to its speech request was lost',
      'voxbatch reconcile demo ',
      // For this row only: with the say the others would be paid for, too.
      'voxbatch redrive demo --rows e --resubmit ',
      'leave these rows out (--rows, --where)',
    ]);
    expect(stderr).not.toContain('row 4');
    const alone = 'redrive demo --where outcome=unknown';
    await expectRefused(alone, `voxbatch ${alone} --resubmit `);
  });

  it.each(['unknown', 'overdue'])('are paid for with --resubmit: %s', async (outcome) => {
    const said = '1 of these may be charged twice for one result';
    await expectAtDoor(`redrive demo --where outcome=${outcome} --resubmit`, said);
  });
});

describe('redrive --from and run of an outcome file', () => {
  beforeEach(() => run('results demo'));

  it.each([
    // All problems at once.
    ['', 'id,kind,text,1\nd,tts,,\nzz,opera,x,\n', /line 2.*line 3.*has 3 problems/s],
    ['--step speech', 'id,kind,text,voice,1\nd,tts,x,anna,\n', '"voice", unknown to the batch'],
    ['--step speech', 'id,text,voice,1\nd,x,anna,\n', 'lacks "kind"'],
    ['--step speech', 'kind,text,1\ntts,x,\n', /cannot be told: it has no column id|line 1, column voice/],
  ])(
    'redrive %s refuses what cannot be read, and columns that the batch has not, or lacks: %j',
    async (flags, content, said) => {
      await writeFile('edited.csv', content);
      await expectRefused(`redrive demo --from edited.csv ${flags}`, said);
    },
  );

  it.each([
    ['of a batch that is not here', 'a,tts,Hello,anna,spring,failed\n', 'batch "spring", which is not in this ledger'],
    ['of a batch that is not here', 'a,tts,Hello,anna,spring,failed\n', 'voxbatch run failed.csv --name NEW-NAME'],
    ['of two batches', 'a,,x,y,demo,failed\nb,,x,y,spring,failed\n', /line 3.*rows of one batch/],
  ])('run refuses a file %s', async (_, lines, said) => {
    await writeFile('failed.csv', `id,kind,text,voice,_batch,_outcome\n${lines}`);
    await expectRefused('run failed.csv', said);
  });

  it.each(['--name other', '--voice anna', '--kind tts', '--assume-seconds 3'])(
    'refuses a flag that says what is on record: %s',
    async (flags) => {
      expect(await readFile('out/demo/unknown.csv', 'utf8')).toContain('demo,5');
      await expectRefused(`run out/demo/unknown.csv ${flags}`, 'cannot be combined with that');
    },
  );

  it('takes a file with the words of an older version for the same', async () => {
    const now = await readFile('out/demo/failed.csv', 'utf8');
    const older = now.replace(',failed,', ',refused,').replace('BadRequest', 'Rejected');
    expect(older).not.toBe(now);
    await writeFile('failed.csv', now);
    await writeFile('refused.csv', older);
    const [ended, endedOlder] = [await run('run failed.csv'), await run('run refused.csv')];
    expect(endedOlder).toEqual({ ...ended, stderr: ended.stderr.replaceAll('failed.csv', 'refused.csv') });
  });

  it.each(['run', 'plan', 'redrive --from'])(
    '%s says of a file that is gone that all its rows have ended otherwise, and how to look',
    async (command) => {
      const gone = 'Batch "demo" has no unfit rows any more, so there is no out/demo/unfit.csv.';
      const { stderr } = await expectRefused(`${command} out/demo/unfit.csv`, [gone, /voxbatch status demo\n$/]);
      expect(stderr).not.toContain('voxbatch init');
      // The summary counts such rows: somebody has removed the file.
      await rm('out/demo/failed.csv');
      for (const name of ['failed', 'none'])
        expect((await run(`${command} out/demo/${name}.csv`)).stderr).toContain('cannot read the manifest');
    },
  );

  it('refuses --resubmit with a manifest that is no outcome file', async () => {
    await writeFile('lines.csv', 'text,voice\nHello,anna\n');
    await expectRefused('run lines.csv --resubmit', '--resubmit is only for outcome files');
  });
});
