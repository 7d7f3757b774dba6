import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { SingleJob } from '../../../batches/single/single-job.ts';
import { batchFolder } from '../../../contract/batch-name.ts';
import { openStoreOf } from '../../../client/claim-store.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { settingsOf } from '../../../client/read-options.ts';
import { ANN } from '../../support/ann.ts';
import { readSingle, type SingleRecord } from '../../../client/single/find-single.ts';
import { singleView, viewSingle } from '../../../client/single/single-view.ts';
import { costText, endText, stoppedText } from '../../../starters/single/single-words.ts';
import { expectRun, placeAtSimulator } from '../command-line.ts';
import { find } from '../reached-states.ts';
import { addJob, type JobEnd } from './add-job.ts';

const world = placeAtSimulator();

/** A job of speech that ended so. */
async function recordOf(end: JobEnd, cells: SingleJob['cells'] = {}): Promise<SingleRecord> {
  const { simulator, place } = world;
  const job = { command: 'say', kind: 'tts', cells: { text: 'Good morning.', voice: 'anna', ...cells } } as const;
  return readSingle(place.ledger, await find(place.ledger, await addJob(simulator, place, job, end)));
}

describe('endText', () => {
  const accept = ({ batch }: SingleRecord): string =>
    `free: voxbatch redrive ${batch.name} --rows 1 --accept, then the same command again.`;

  it('says once that a job that was refused cost nothing', async () => {
    const record = await recordOf({ as: 'refused' });
    expect(endText(singleView(record, 0))[0]).toBe('It failed: No such voice. (nothing was charged).');
  });

  it('offers speech as it is, free, whose verification alone was lost, and says that no more is paid for', async () => {
    const record = await recordOf({ as: 'unknown' }, { verify: '0.25' });
    const charges = record.charges.flatMap((charge) => [
      charge,
      { ...charge, step: 'verification', quoted: 4 } as const,
    ]);
    const [why, next] = endText(singleView({ ...record, charges }, 4));
    expect(why).toMatch(/^The answer was lost\. /);
    expect(next).toContain(accept(record));
    const another = 'To pay for another verification alone (4 credits), the first of which may have been charged';
    expect(next).toContain(another);
  });

  it('offers a text in parts as it is, free, of which some did not pass a check', async () => {
    const record = await recordOf({ as: 'failed' });
    const failure = { class: 'Unfit', message: 'Part 1 of 2 ended unfit: Other words.' } as const;
    const [, next] = endText(singleView({ ...record, row: { ...record.row, parts: 2, failure } }, 0));
    expect(next).toContain(accept(record));
  });
});

describe('after a restore, of a job whose result the store has from before', () => {
  const reconcile = (name: string): string => `free: voxbatch reconcile ${name}`;

  it('every next step leads to that result, not to a payment that is refused', async () => {
    const { ledger, folder } = world.place;
    const store = await openStoreOf(settingsOf({ home: folder }));
    endAfterTest(() => store.close());
    const record = await recordOf({ as: 'skipped' });
    const { name } = record.batch;
    const next = async (): Promise<string> => endText((await viewSingle(ledger, store, record)).view).join();
    const pay = 'To pay for it: the same command without --cache only.';
    expect(await next()).toContain(pay);
    await ledger.acceptCopy(ANN);
    await ledger.clearDoubts(ANN);
    expect(await next()).toContain(pay);
    const lost = join(settingsOf({ home: folder }).store, batchFolder(name, '0123456789'), '0000');
    await mkdir(lost, { recursive: true });
    await writeFile(join(lost, '1-speech-1.mp3'), 'sound');
    expect(await next()).toContain(reconcile(name));
    expect(await next()).not.toContain(pay);
    await expectRun(['explain', name], 0, { out: reconcile(name), not: 'Pay for it' });
    await expectRun(['tune', name, '--cache', 'on'], 0, { err: reconcile(name), not: 'To pay for it' });
  });
});

it('a job whose command was ended goes on by the same command, without the flag that would ask for one more take', () => {
  const instead = 'the same command without --again';
  expect(stoppedText()).toContain('The same command again continues the job');
  expect(stoppedText({ next: 'voxbatch status say-1', instead })).toContain(
    'The same command without --again continues the job',
  );
});

it.each([
  [7, [false, false], '4 credits charged; 11 with its earlier takes.'],
  [7, [true, false], '4 credits charged; about 11 with its earlier takes.'],
  [7, [false, true], 'About 4 credits charged; 11 with its earlier takes.'],
  [0, [false, false], '4 credits charged.'],
] as const)('costText tells the latest take from the sum of all: %p, %j', async (before, isQuoted, words) => {
  const file = await world.place.store.put('job/1.mp3', 'ID3 the paid bytes');
  const record = await recordOf({ file });
  const from = isQuoted.map((is): 'quote' | 'api' => (is ? 'quote' : 'api'));
  const charges = record.charges.flatMap((charge) => [
    { ...charge, take: 1, charged: before, chargedFrom: from[0] ?? null },
    { ...charge, take: 2, charged: 4, chargedFrom: from[1] ?? null },
  ]);
  expect(costText(singleView({ ...record, charges, row: { ...record.row, take: 2 } }, 0))).toBe(words);
});

it.each([
  [true, 'About 7 credits charged.'],
  [false, '7 credits charged.'],
])('costText marks a price that the API did not tell: %p', async (isQuoted, words) => {
  const file = await world.place.store.put('job/1.mp3', 'ID3 the paid bytes');
  expect(costText(singleView(await recordOf({ file, isQuoted }), 0))).toBe(words);
});
