import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { chosenRows, type RowChoice } from '../../../batches/redrive/selection.ts';
import { draftRedrive } from '../../../batches/redrive/redrive.ts';
import { settingsOf } from '../../../client/read-options.ts';
import { redrivePlanned } from '../../../client/redrive/redrive.ts';
import type { PaidEnd, RedriveTerms } from '../../../client/redrive/redrive-options.ts';
import { Session } from '../../../client/session.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { startSimulator } from '../../../simulator/start-simulator.ts';
import { ANN } from '../../support/ann.ts';
import { freshPlace } from '../../support/place.ts';
import { addSampleBatchOf } from '../sample-batch-of.ts';

const place = freshPlace();

/** Redrives rows of the sample batch, once `before` was done, as the library does. */
async function redriveDemo(
  before: (ledger: Ledger) => Promise<unknown>,
  rows: RowChoice,
  terms: Partial<RedriveTerms>,
): Promise<{ readonly count: number; readonly end: PaidEnd }> {
  const simulator = await startSimulator();
  try {
    await addSampleBatchOf(simulator, place);
    const { ledger } = place;
    await before(ledger);
    const batch = await ledger.findBatch('demo');
    if (batch === undefined) throw new Error('There is no batch.');
    const rules = { step: null, resubmit: false, replace: true, accept: false, asksForOverdue: false };
    const chosen = chosenRows(ledger, 'demo', rows);
    const draft = await draftRedrive(ledger, batch, chosen, rules);
    const access = { baseUrl: simulator.url, token: simulator.token };
    const settings = { ...settingsOf({ home: place.folder }), ledger: place.ledger.place };
    const session = new Session({ settings, access: () => access, ledger: { mustExist: true, thread: false } });
    const person = { yes: false, canAsk: true, confirm: () => Promise.reject(new Error('asked')) };
    const plan = { draft, rows: chosen, fileSha256: null };
    const ended = redrivePlanned(session, batch, plan, { out: null, ...terms }, person, () => undefined);
    const end = await ended.finally(() => session.close());
    return { count: draft.count, end };
  } finally {
    await simulator.close();
  }
}

/** Opens the row that failed, as another command would. */
const openFailed = (ledger: Ledger): Promise<unknown> => {
  const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
  return ledger.redrive('demo', [{ row: 4, take: 1, outcome: 'failed', how }]);
};

it('works on a batch that another redrive has opened since it was looked up, though it finds no row any more', async () => {
  const { count, end } = await redriveDemo(openFailed, { outcomes: ['failed'] }, {});
  expect(count).toBe(0);
  expect(end).toMatchObject({ type: 'open', opened: 0 });
});

it('does not leave the cache mode only, on a restored ledger, while an open row has its result in the store', async () => {
  const file = join(place.folder, 'store', 'demo-0123456789', '0000', '4-speech-1.mp3');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, 'sound');
  const before = async (ledger: Ledger): Promise<void> => {
    await ledger.tune('demo', { cache: 'only' });
    await openFailed(ledger);
    await ledger.acceptCopy(ANN);
    await ledger.clearDoubts(ANN);
  };
  const ended = redriveDemo(before, { rows: [1] }, { tuning: { cache: 'on' } });
  await expect(ended).rejects.toMatchObject({ problem: { type: 'forgotten-results', rows: [{ row: 4 }] } });
});
