import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { NO_LINK } from '../../../contract/result-member.ts';
import type { RedriveChoice } from '../../../ledger/takes/redrive.ts';
import { claimFolder } from '../../../store/owner-file.ts';
import { accept, addSampleBatch, keyOf, refuse } from '../../results/sample-batch.ts';
import { redriveNow } from '../../ledger/setup.ts';
import { expectRun, json, placeForEach, run } from '../command-line.ts';
import { ANN } from '../../support/ann.ts';

const place = placeForEach();
beforeEach(() => addSampleBatch(place));

async function redrive(row: number, take: number, how: Partial<RedriveChoice['how']>): Promise<void> {
  const pay = { type: 'pay', fromStep: 'speech', reason: 'redrive', ...how } as RedriveChoice['how'];
  expect((await redriveNow(place.ledger, 'demo', [{ row, take, how: pay }])).rows).toEqual([row]);
}

/** Has the second take of a row rejected. */
const reject = (row: number): Promise<void> =>
  refuse(place, keyOf(row, 'speech', 1, 2), { class: 'JobFailed', message: 'no luck' });

const told = async (id: string): Promise<string> => (await run('explain', id)).stdout;

describe('explain tells the history of takes', () => {
  it('with why and when, what each replaced, what was edited, and its requests beneath', async () => {
    const spec = { kind: 'tts', text: 'good voice', extra: {} } as const;
    const edit = (text: string): Partial<RedriveChoice['how']> => ({
      reason: 'edited',
      edited: { spec: { ...spec, text }, input: ['d', 'tts', text, ''], quoted: 5 },
    });
    await redrive(4, 1, edit('good voice'));
    await reject(4);
    await redrive(4, 2, edit('a better voice'));
    const story = [
      'Take 1\n {2}speech, take 1, attempt 1: rejected',
      'Take 2, 20.*: redriven by a person with edited cells; from speech on\n {2}replaced failed \\(BadRequest: -voice is not known\\)',
      'text: "bad voice" → "good voice"\n {2}speech, take 2, attempt 1: rejected',
      'Take 3, .*\n {2}replaced failed \\(JobFailed: no luck\\)\n {2}text: "good voice" → "a better voice"\n {2}no request so far',
    ];
    expect(await told('d')).toMatch(new RegExp(story.join('[^]*')));
    const { value } = await json('explain d');
    expect(value['takes']).toMatchObject([
      {
        take: 2,
        reason: 'edited',
        from_step: 'speech',
        kept_steps: [],
        before: { outcome: 'failed', failure: { error_class: 'BadRequest' }, file: null },
        changes: [{ column: 'text', from: 'bad voice', to: 'good voice' }],
      },
      { take: 3, changes: [{ column: 'text', from: 'good voice', to: 'a better voice' }] },
    ]);
  });

  it('with the steps that were kept and the result that was replaced', async () => {
    await redrive(3, 1, { fromStep: 'lip-sync' });
    const replaced = /replaced succeeded$/m;
    const kept = /Results of its takes\n {2}take 1: 10 bytes, sha256 [0-9a-f]{64}, kept as \/.*\/demo\/3-/;
    const take = /Take 2, .*: redriven by a person; from lip-sync on; speech kept/;
    await expectRun('explain c', 0, { out: [take, replaced, kept] });
  });

  it('with the take whose result the row has, also after a person went back', async () => {
    await redrive(3, 1, {});
    const file = { key: 'demo/3-2.mp3', bytes: 3, sha256: 'ab', extension: 'mp3' };
    for (const step of ['speech', 'lip-sync'] as const) {
      const key = keyOf(3, step, 1, 2);
      await accept(place, key);
      const end = step === 'speech' ? ({ state: 'waiting' } as const) : ({ outcome: 'succeeded', file } as const);
      await place.ledger.finishJob(key, { file }, end);
    }
    await expectRun('explain c', 0, { out: [/take 1: 10 bytes.*\n {2}take 2 \(in use\): 3 bytes/] });
    await redrive(3, 2, { type: 'accept', earlier: { take: 1 } } as never);
    await expectRun('explain c', 0, { out: [/take 1 \(in use\): 10 bytes.*\n {2}take 2: 3 bytes/] });
    const { value } = await json('explain c');
    expect(value).toMatchObject({
      take_in_use: 1,
      take_results: [
        { take: 1, in_use: true },
        { take: 2, in_use: false },
      ],
    });
  });
});

it('explain of a row with an earlier result says which row that came from, and what it saved', async () => {
  const { ledger } = place;
  for (const row of [4, 7]) await redrive(row, 1, {});
  const file = { key: 'demo/4.mp3', bytes: 3, sha256: 'ab', extension: 'mp3' };
  const [made, used] = [keyOf(4, 'speech', 1, 2), keyOf(7, 'speech', 1, 2)];
  await ledger.intend(made, { quoted: 5, quotedRest: 0, owner: 'w', maxSending: 8, resultKey: 'key' });
  await ledger.settle(made, { verdict: 'accepted', jobId: 'job-4' }, { state: 'processing' });
  await ledger.finishJob(made, { file }, { outcome: 'succeeded', file });
  const [result] = await ledger.findResults(['key']);
  if (result === undefined) throw new Error('there is no result');
  await ledger.useResult(used, { result, file, extraFiles: [], saved: 5, owner: 'w' });
  const credits = /credits: nothing charged, 5 saved\n +result: that of the speech of row 4 of batch "demo"/;
  const cached = 'attempt 1: cached: nothing was sent; an earlier result was used';
  await expectRun('explain g', 0, { out: [cached, credits] });
  const source = expect.objectContaining({ row: 4, job_id: 'job-4' });
  const { value } = await json('explain g');
  expect(value['attempts']).toContainEqual(expect.objectContaining({ verdict: 'cached', source }));
});

describe('explain of a request', () => {
  it.each([
    ['b', 'answered after'],
    ['d', 'answered after'],
    ['e', 'no clear answer after'],
  ])('of row %s that it was %s', async (id, words) => {
    expect((await told(id)).match(/(?:answered|no clear answer) after(?= [\d.]+ s)/gu)).toEqual([words]);
  });

  it('that a person settled tells when that was, not how long it took as if the API had answered then', async () => {
    const { ledger } = place;
    const lost = keyOf(5, 'speech', 2);
    expect(await ledger.decide(lost, { type: 'adopted', jobId: 'job-5' }, ANN)).toBe(true);
    expect(await told('e')).toMatch(/started \S+, settled by a person \d{4}-\S+Z\n/);
    const file = await place.store.put('demo/5-speech-1.mp3', 'sound of e');
    await ledger.finishJob(lost, { file }, { outcome: 'succeeded', file });
    expect(await told('e')).toMatch(/settled by a person \S+Z, ended \S+Z\n/);
    await ledger.decide(lost, { type: 'released', jobId: 'job-5' }, ANN);
    expect(await told('e')).toMatch(/^(?![^]*answered after)[^]*in doubt again by a person \S+Z\n/);
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
    const free = 'Get it again, free: voxbatch redrive demo --rows a --damaged\n';
    expect(await told('a')).toContain(`Next\n  Its stored file is missing. ${free}`);
    expect((await json('explain a')).value['stored_file_lost']).toEqual({ is: 'missing', free: true });
    await writeFile(join(place.store.folder, key), 'noise');
    expect(await told('a')).toContain(`Its stored file is altered. ${free}`);
  });

  it('says its price where no job gives it', async () => {
    await lose('demo/2-transcription-1.txt');
    expect(await told('b')).toContain(
      'no job can be read for it. If you have a backup of the store, restore the file. Otherwise make it again, at its price: voxbatch redrive demo --rows b --damaged',
    );
  });

  it('takes none for lost in a store of nobody', async () => {
    await rm(join(place.store.folder, 'demo/2-transcription-1.txt'));
    expect((await json('explain b')).value['stored_file_lost']).toBeNull();
  });
});

describe('explain says what can be done next', () => {
  it.each([
    ['a', 'To replace it, at a new price: voxbatch redrive demo --rows a'],
    [
      'd',
      'The refused request was not charged. Fix its cells in out/demo/failed.csv, then: voxbatch run out/demo/fail',
    ],
    ['e', 'no list to look the request up in.'],
    ['e', 'If your account shows its job: voxbatch reconcile demo --adopt e=JOB.'],
    ['e', 'If it is not there, send again at a new charge: voxbatch reconcile demo --resubmit e'],
    ['f', 'Wait for it again, free: voxbatch redrive demo --rows f'],
    ['g', 'Send it again, at its price: voxbatch redrive demo --rows g'],
  ])('about row %s', async (id, words) => {
    expect((await told(id)).split('Next\n')[1]).toContain(words);
  });

  it('about files that are there says nothing', async () => {
    const says = async (): Promise<boolean[]> =>
      [await run('explain a'), await run('status demo')].map(({ stdout }) =>
        stdout.includes('Write its files with: voxbatch results demo'),
      );
    expect(await says()).toEqual([true, true]);
    await run('results demo');
    expect(await says()).toEqual([false, false]);
    // The charge of an earlier take is settled: the sums are others.
    await redrive(5, 1, { reason: 'resubmitted' });
    await place.ledger.giveUp(keyOf(5, 'speech', 1, 2), { outcome: 'cancelled' });
    await place.ledger.closeBatch('demo');
    expect(await says()).toEqual([true, true]);
    await run('results demo');
    expect(await says()).toEqual([false, false]);
    expect(await place.ledger.decide(keyOf(5, 'speech', 2), { type: 'not-charged' }, ANN)).toBe(true);
    expect(await says()).toEqual([true, true]);
  });

  it('about what else is sent with the file of failed rows', async () => {
    const also = '(this also sends the other failed rows again)';
    expect(await told('d')).not.toContain(also);
    await redrive(7, 1, {});
    await reject(7);
    expect(await told('d')).toContain(`voxbatch run out/demo/failed.csv ${also}`);
    expect(await told('g')).toContain(`--from out/demo/failed.csv ${also}`);
  });

  it('about a take that was paid again while nobody knew what became of its request', async () => {
    await redrive(5, 1, { reason: 'resubmitted' });
    const next =
      'An earlier request (e/1) may also have been charged. If your account shows no job for it: voxbatch reconcile demo --not-charged e/1. If it shows one: voxbatch reconcile demo --adopt e/1=JOB';
    expect(await told('e')).toContain(next);
  });

  it('about a job whose link is under a name that is not known: names the setting', async () => {
    await redrive(4, 1, {});
    const key = keyOf(4, 'speech', 1, 2);
    const message = 'Its answer has: data.clip.href "https://cdn.example/…".';
    const failure = { class: 'ResultGone', cause: NO_LINK, message } as const;
    await accept(place, key);
    await place.ledger.finishJob(key, { failure }, { outcome: 'failed', failure });
    const set = 'set resultMember in voxbatch.config.json to its name';
    const fetch = 'Fetch its result again, free: voxbatch redrive demo --rows d';
    await expectRun('explain d', 0, { out: ['data.clip.href "https://cdn.example/…"', set, fetch] });
  });
});

describe('explain with the name of the batch beside the row', () => {
  it.each(['a demo', 'demo a', 'a --batch demo', 'demo a --batch demo'])('takes it: %s', async (words) => {
    expect((await json(`explain ${words}`)).value).toMatchObject({ batch: 'demo', id: 'a' });
  });

  it('names a batch that does not exist, and a second row that it cannot take', async () => {
    await expectRun('explain dmeo a', 2, /"dmeo".*Known: demo/);
    await expectRun('explain a b --batch demo', 2, /One row at a time: "a" or "b"/);
  });
});
