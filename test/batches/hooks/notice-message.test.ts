import { describe, expect, it } from '@jest/globals';
import { noticeEnvironment, noticeMessage, type NoticeMessage } from '../../../client/hooks/notice-content.ts';
import { viewBatch } from '../../../batches/status/view-batch.ts';
import { aKey, fill, INTENT, batchOf, ledger, ledgerForEachTest } from '../../ledger/setup.ts';

ledgerForEachTest(async () => {
  await fill(ledger, 1);
});

/** The message after a request that the API charged this for; undefined: it did not say. */
async function messageAfter(credits: number | undefined): Promise<NoticeMessage> {
  await ledger.intend(aKey(1), INTENT);
  const price = credits === undefined ? {} : { credits };
  await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1', ...price }, { state: 'processing' });
  const view = await viewBatch(ledger, await batchOf());
  return noticeMessage({ id: 'n1', madeAt: 0 }, 'ended', view);
}

describe('what a hook is told of the credits', () => {
  it('is the sum, if every figure is the API’s', async () => {
    const message = await messageAfter(4);
    expect(message.text).toContain('none ended yet. 4 credits charged.');
    expect(noticeEnvironment(message)).toMatchObject({ VOXBATCH_CREDITS: '4', VOXBATCH_CREDITS_ESTIMATED: 'false' });
  });

  it('is that it is an estimate, if the API did not tell a price', async () => {
    const message = await messageAfter(undefined);
    expect(message.text).toContain('none ended yet. About 2.5 credits charged (some prices are estimates).');
    expect(message.data.credits).toMatchObject({ charged: 2.5, estimated: true });
    expect(noticeEnvironment(message)).toMatchObject({ VOXBATCH_CREDITS: '2.5', VOXBATCH_CREDITS_ESTIMATED: 'true' });
  });
});
