import { expect, it } from '@jest/globals';
import { chosenRows } from '../../../batches/redrive/selection.ts';
import { draftRedrive } from '../../../batches/redrive/redrive.ts';
import { settingsOf } from '../../../client/read-options.ts';
import { redrivePlanned } from '../../../client/redrive/redrive.ts';
import { Session } from '../../../client/session.ts';
import { startSimulator } from '../../../simulator/start-simulator.ts';
import { freshPlace } from '../../support/place.ts';
import { addSampleBatchOf } from '../sample-batch-of.ts';

const place = freshPlace();

it('works on a batch that another redrive has opened since it was looked up, though it finds no row any more', async () => {
  const simulator = await startSimulator();
  try {
    await addSampleBatchOf(simulator, place);
    const { ledger } = place;
    const batch = await ledger.findBatch('demo');
    if (batch === undefined) throw new Error('There is no batch.');
    expect(batch.state).toBe('closed');
    const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
    await ledger.redrive('demo', [{ row: 4, take: 1, outcome: 'failed', how }]);
    const rules = { step: null, resubmit: false, replace: false, accept: false, asksForOverdue: false };
    const rows = chosenRows(ledger, 'demo', { outcomes: ['failed'] });
    const draft = await draftRedrive(ledger, batch, rows, rules);
    expect(draft.count).toBe(0);
    const access = { baseUrl: simulator.url, token: simulator.token };
    const settings = { ...settingsOf({ home: place.folder }), ledger: place.ledger.place };
    const session = new Session({ settings, access: () => access, ledger: { mustExist: true, thread: false } });
    const person = { yes: false, canAsk: true, confirm: () => Promise.reject(new Error('asked')) };
    const plan = { draft, rows, fileSha256: null };
    const ended = await redrivePlanned(session, batch, plan, { out: null }, person, () => undefined);
    expect(ended).toMatchObject({ type: 'open', opened: 0 });
    await session.close();
  } finally {
    await simulator.close();
  }
});
