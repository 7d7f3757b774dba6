import { expect, it } from '@jest/globals';
import { chosenRows } from '../../../batches/redrive/selection.ts';
import { draftRedrive } from '../../../batches/redrive/redrive.ts';
import { openApi } from '../../../client/open-api.ts';
import { redriveBatch } from '../../../client/redrive/redrive.ts';
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
    const open = await openApi({ baseUrl: simulator.url, token: simulator.token });
    const request = { ledger, batch, draft, rows, fileSha256: null, out: null, openApi: () => Promise.resolve(open) };
    expect(await redriveBatch({ ...request, approve: () => Promise.reject(new Error('asked')) })).toMatchObject({
      type: 'open',
    });
    open.api.close();
  } finally {
    await simulator.close();
  }
});
