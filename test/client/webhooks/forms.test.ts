import { describe, expect, it } from '@jest/globals';
import { receiveWebhooks } from '../../../client/webhooks/webhook-receiver.ts';
import { SHAPES } from '../../../simulator/shapes.ts';
import { WEBHOOK_MODES, type WebhookMode } from '../../../simulator/webhook-modes.ts';
import { jobIdIn, openSimulator } from '../../simulator/with-simulator.ts';

/** Waits until the webhook of a job is heard that is sent so, in such a form. */
async function expectHeard(webhooks: WebhookMode, form: string): Promise<void> {
  let told: (ids: readonly string[]) => void = () => undefined;
  const heard = new Promise<readonly string[]>((resolve) => {
    told = resolve;
  });
  const secret = 'aSecret';
  const here = await receiveWebhooks({ host: '127.0.0.1', port: 0, secret, memoryMs: 10_000 }, ({ ids }) => {
    if (ids.length > 0) told(ids);
  });
  try {
    const shape = `webhook.body=${form}`;
    const { call } = await openSimulator({ webhooks, shape, jobMs: [20, 20] });
    await call('POST', '/profile', { webhookUrl: `http://127.0.0.1:${String(here.port)}/hooks/${secret}` });
    const jobId = jobIdIn(await call('POST', '/speech/tts/jobs', { text: 'hello', voiceId: 'narrator' }));
    // Also one that came before anybody asked.
    here.change([{ jobId, isWatched: true }]);
    expect(await heard).toEqual([jobId]);
  } finally {
    await here.close();
  }
}

describe('a webhook of the simulator', () => {
  it.each(SHAPES['webhook.body'])('is heard in the form "%s"', (form) => expectHeard('each', form));

  it.each(WEBHOOK_MODES.filter((mode) => mode !== 'never' && mode !== 'drawn'))('is heard if sent %s', async (mode) => {
    await expectHeard(mode, 'id');
  });
});
