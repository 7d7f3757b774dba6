import { expect, it } from '@jest/globals';
import { openSimulator } from './with-simulator.ts';

it('an accepted job is on record under the request id that its answer names', async () => {
  const { call, simulator } = await openSimulator({ shape: 'speech.body=task-record' });
  const { json } = await call('POST', '/speech/tts/jobs', { text: 'x', voiceId: 'anna' });
  expect(simulator.ledger()).toMatchObject([{ requestId: (json as { readonly requestId: string }).requestId }]);
});
