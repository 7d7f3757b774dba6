import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { NO_LINK } from '../../../contract/result-member.ts';
import type { RedriveChoice } from '../../../ledger/takes/redrive.ts';
import { claimFolder } from '../../../store/owner-file.ts';
import { addSampleBatch, intend, keyOf } from '../../results/sample-batch.ts';
import { redriveNow } from '../../ledger/setup.ts';
import { placeForEach } from '../place-for-each.ts';
import { run, json } from '../command-line.ts';

const { place } = placeForEach();
beforeEach(() => addSampleBatch(place));

async function redrive(row: number, take: number, how: Partial<RedriveChoice['how']>): Promise<void> {
  const pay = { type: 'pay', fromStep: 'speech', reason: 'redrive', ...how } as RedriveChoice['how'];
  expect((await redriveNow(place.ledger, 'demo', [{ row, take, how: pay }])).rows).toEqual([row]);
}

describe('explain tells the history of takes', () => {
  it('with why and when, what each replaced, what was edited, and its requests beneath', async () => {
    const spec = { kind: 'tts', text: 'good voice', extra: {} } as const;
    const edit = (text: string): Partial<RedriveChoice['how']> => ({
      reason: 'edited',
      edited: { spec: { ...spec, text }, input: ['d', 'tts', text, ''], quoted: 5 },
    });
    await redrive(4, 1, edit('good voice'));
    const failure = { class: 'JobFailed', message: 'no luck' } as const;
    await place.ledger.intend({ ...keyOf(4), take: 2 }, { quoted: 5, quotedRest: 0, owner: 'w', maxSending: 8 });
    await place.ledger.settle(
      { ...keyOf(4), take: 2 },
      { verdict: 'rejected', failure },
      { outcome: 'failed', failure },
    );
    await redrive(4, 2, edit('a better voice'));
    const { stdout } = await run('explain', 'd');
    expect(stdout).toMatch(
      new RegExp(
        [
          'Take 1\n {2}speech, take 1, attempt 1: rejected',
          'Take 2, 20.*: redriven by a person with edited cells; from speech on\n {2}replaced failed \\(BadRequest: -voice is not known\\)',
          'text: "bad voice" → "good voice"\n {2}speech, take 2, attempt 1: rejected',
          'Take 3, .*\n {2}replaced failed \\(JobFailed: no luck\\)\n {2}text: "good voice" → "a better voice"\n {2}no request so far',
        ].join('[^]*'),
      ),
    );
    const { value } = await json('explain', 'd', '--json');
    expect(value['takes']).toMatchObject([
      {
        take: 2,
        reason: 'edited',
        from_step: 'speech',
        kept_steps: [],
        before: { outcome: 'failed', failure: { class: 'BadRequest' }, file: null },
        changes: [{ column: 'text', from: 'bad voice', to: 'good voice' }],
      },
      { take: 3, changes: [{ column: 'text', from: 'good voice', to: 'a better voice' }] },
    ]);
  });

  it('with the steps that were kept and the result that was replaced', async () => {
    await redrive(3, 1, { fromStep: 'lip-sync' });
    const { stdout } = await run('explain', 'c');
    expect(stdout).toMatch(/Take 2, .*: redriven by a person; from lip-sync on; speech kept/);
    expect(stdout).toMatch(
      /replaced succeeded, whose result was 10 bytes, sha256 [0-9a-f]{64}, kept as \/.*\/demo\/3-/,
    );
  });
});

describe('explain of a row with an earlier result', () => {
  it('says which row that came from, and what it saved', async () => {
    const { ledger } = place;
    const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
    for (const row of [4, 7]) await redriveNow(ledger, 'demo', [{ row, take: 1, how }]);
    const file = { key: 'demo/4.mp3', bytes: 3, sha256: 'ab', extension: 'mp3' };
    const [made, used] = [
      { ...keyOf(4), take: 2 },
      { ...keyOf(7), take: 2 },
    ];
    await ledger.intend(made, { quoted: 5, quotedRest: 0, owner: 'w', maxSending: 8, resultKey: 'key' });
    await ledger.settle(made, { verdict: 'accepted', jobId: 'job-4' }, { state: 'processing' });
    await ledger.finishJob(made, { file }, { outcome: 'succeeded', file });
    const [result] = await ledger.findResults(['key']);
    if (result === undefined) throw new Error('there is no result');
    await ledger.useResult(used, { result, file, extraFiles: [], saved: 5, owner: 'w' });
    const { stdout } = await run('explain', 'g');
    expect(stdout).toMatch(/attempt 1: cached: nothing was sent; an earlier result was used/);
    expect(stdout).toMatch(/credits: nothing charged, 5 saved\n +result: that of the speech of row 4 of batch "demo"/);
    const { value } = await json('explain', 'g', '--json');
    expect(value['attempts']).toContainEqual(
      expect.objectContaining({ verdict: 'cached', source: expect.objectContaining({ row: 4, job_id: 'job-4' }) }),
    );
  });
});

describe('explain of a request', () => {
  it.each([
    ['b', 'answered after'],
    ['d', 'answered after'],
    ['e', 'no clear answer after'],
  ])('of row %s that it was %s', async (id, words) => {
    const { stdout } = await run('explain', id);
    expect(stdout.match(/(?:answered|no clear answer) after(?= [\d.]+ s)/gu)).toEqual([words]);
  });
});

describe('explain of a request that a person settled', () => {
  it('tells when that was, not how long it took as if the API had answered then', async () => {
    const { ledger } = place;
    const lost = keyOf(5, 'speech', 2);
    expect(await ledger.decide(lost, { type: 'adopted', jobId: 'job-5', who: 'ann' })).toBe(true);
    const told = async (): Promise<string> => (await run('explain', 'e')).stdout;
    expect(await told()).toMatch(/started \S+, settled by a person \d{4}-\S+Z\n/);
    const file = await place.store.put('demo/5-speech-1.mp3', 'sound of e');
    await ledger.finishJob(lost, { file }, { outcome: 'succeeded', file });
    expect(await told()).toMatch(/settled by a person \S+Z, ended \S+Z\n/);
    await ledger.decide(lost, { type: 'released', jobId: 'job-5', who: 'ann' });
    expect(await told()).toMatch(/in doubt again by a person \S+Z\n/);
    expect(await told()).not.toContain('answered after');
  });
});

describe('explain of a row whose stored file is lost', () => {
  const lose = async (key: string): Promise<void> => {
    const { ledger, store } = place;
    await claimFolder(store.folder, ledger.id);
    await rm(join(store.folder, key));
  };

  it('says how to get it again, free', async () => {
    const key = (await place.ledger.readRow('demo', 1))?.row.file?.key ?? '';
    await lose(key);
    const { stdout } = await run('explain', 'a');
    expect(stdout).toMatch(
      /Next\n {2}Its stored file is missing\. Get it again, free: voxbatch redrive demo --rows a --damaged\n/,
    );
    const { value } = await json('explain', 'a', '--json');
    expect(value['stored_file_lost']).toEqual({ is: 'missing', free: true });
    await writeFile(join(place.store.folder, key), 'noise');
    expect((await run('explain', 'a')).stdout).toContain('Its stored file is altered. Get it again');
  });

  it('says its price where no job gives it', async () => {
    await lose('demo/2-transcription-1.txt');
    const { stdout } = await run('explain', 'b');
    expect(stdout).toContain(
      'no job can be read for it. If you have a backup of the store, restore the file. Otherwise make it again, at its price: voxbatch redrive demo --rows b --damaged',
    );
  });

  it('takes none for lost in a store of nobody', async () => {
    await rm(join(place.store.folder, 'demo/2-transcription-1.txt'));
    const { value } = await json('explain', 'b', '--json');
    expect(value['stored_file_lost']).toBeNull();
  });
});

describe('explain says what can be done next', () => {
  it.each([
    ['a', 'To replace the result, at a new price: voxbatch redrive demo --rows a'],
    [
      'd',
      'The refused request was not charged. Fix its cells in out/demo/failed.csv, then: voxbatch run out/demo/failed.csv',
    ],
    ['e', 'no list to look the request up in.'],
    ['e', 'If your account shows its job: voxbatch reconcile demo --adopt e=JOB.'],
    ['e', 'If it is not there, send again at a new charge: voxbatch reconcile demo --resubmit e'],
    ['f', 'Wait for it again, free: voxbatch redrive demo --rows f'],
    ['g', 'Send it again, at its price: voxbatch redrive demo --rows g'],
  ])('about row %s', async (id, words) => {
    const { stdout } = await run('explain', id);
    expect(stdout.slice(stdout.indexOf('Next\n'))).toContain(words);
  });

  it('about files that are there says nothing', async () => {
    const words = 'Write its files with: voxbatch results demo';
    const told = async (): Promise<boolean[]> => {
      const [row, batch] = [await run('explain', 'a'), await run('status', 'demo')];
      return [row, batch].map(({ stdout }) => stdout.includes(words));
    };
    expect(await told()).toEqual([true, true]);
    await run('results', 'demo');
    expect(await told()).toEqual([false, false]);
    // The charge of an earlier take is settled: the sums are others.
    await redrive(5, 1, { reason: 'resubmitted' });
    await place.ledger.giveUp({ ...keyOf(5), take: 2 }, { outcome: 'cancelled' });
    await place.ledger.closeBatch('demo');
    expect(await told()).toEqual([true, true]);
    await run('results', 'demo');
    expect(await told()).toEqual([false, false]);
    const doubt = { ...keyOf(5, 'speech', 2), take: 1 };
    expect(await place.ledger.decide(doubt, { type: 'not-charged', who: 'ann' })).toBe(true);
    expect(await told()).toEqual([true, true]);
  });

  it('about what else is sent with the file of failed rows', async () => {
    const { ledger } = place;
    const also = '(this also sends the other failed rows again)';
    expect((await run('explain', 'd')).stdout).not.toContain(also);
    await redrive(7, 1, {});
    const failure = { class: 'JobFailed', message: 'no luck' } as const;
    await intend(place, keyOf(7, 'speech', 1, 2));
    await ledger.settle(keyOf(7, 'speech', 1, 2), { verdict: 'rejected', failure }, { outcome: 'failed', failure });
    expect((await run('explain', 'd')).stdout).toContain(`voxbatch run out/demo/failed.csv ${also}`);
    expect((await run('explain', 'g')).stdout).toContain(`--from out/demo/failed.csv ${also}`);
  });

  it('about a take that was paid again while nobody knew what became of its request', async () => {
    await redrive(5, 1, { reason: 'resubmitted' });
    const { stdout } = await run('explain', 'e');
    expect(stdout).toContain('If your account shows no job for it: voxbatch reconcile demo --not-charged e/1');
  });
});

describe('explain with the name of the batch beside the row', () => {
  it.each([
    ['a', 'demo'],
    ['demo', 'a'],
    ['a', '--batch', 'demo'],
    ['demo', 'a', '--batch', 'demo'],
  ])('takes it: %s %s', async (...words: string[]) => {
    const { value } = await json('explain', ...words, '--json');
    expect(value).toMatchObject({ batch: 'demo', id: 'a' });
  });

  it('names a batch that does not exist, and a second row that it cannot take', async () => {
    const missing = await run('explain', 'dmeo', 'a');
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringMatching(/"dmeo".*Known: demo/)]);
    const two = await run('explain', 'a', 'b', '--batch', 'demo');
    expect([two.code, two.stderr]).toEqual([2, expect.stringMatching(/One row at a time: "a" or "b"/)]);
  });
});

it('explain names the setting for a job whose link is under a name that is not known', async () => {
  const { ledger } = place;
  await redrive(4, 1, {});
  const key = { ...keyOf(4), take: 2 };
  const failure = {
    class: 'ResultGone',
    cause: NO_LINK,
    message: 'Its answer has: data.clip.href "https://cdn.example/…".',
  } as const;
  await ledger.intend(key, { quoted: 5, quotedRest: 0, owner: 'w', maxSending: 8 });
  await ledger.settle(key, { verdict: 'accepted', jobId: 'job-4' }, { state: 'processing' });
  await ledger.finishJob(key, { failure }, { outcome: 'failed', failure });
  const { stdout } = await run('explain', 'd');
  expect(stdout).toContain('data.clip.href "https://cdn.example/…"');
  expect(stdout).toContain('set resultMember in voxbatch.config.json to its name');
  expect(stdout).toContain('Fetch its result again, free: voxbatch redrive demo --rows d');
});
