import { describe, expect, it } from '@jest/globals';
import { noticeEnvironment, noticeMessage, type NoticeMessage } from '../../../client/hooks/notice-content.ts';
import { viewBatch } from '../../../batches/status/view-batch.ts';
import { accept } from '../../ledger/actions.ts';
import { batchOf } from '../../ledger/readings.ts';
import { ledger, ledgerForEachTest, load } from '../../ledger/setup.ts';

ledgerForEachTest(() => load(1));

/** The message after a request that the API charged this for; undefined: it did not say. */
async function messageAfter(credits: number | undefined): Promise<NoticeMessage> {
  await accept(1, credits === undefined ? {} : { credits });
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
