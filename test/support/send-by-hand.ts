import type { LiveWorld } from './live-world.ts';

/** Sends the request for a row of `mixedManifest` outside of voxbatch, with this key; returns its job. */
export async function sendByHand({ simulator }: LiveWorld, row: number, key: string): Promise<string> {
  const answer = await fetch(`${simulator.url}/speech/tts/jobs`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${simulator.token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
      connection: 'close',
    },
    body: JSON.stringify({ text: `Line number ${String(row)} of this batch.`, voiceId: 'narrator' }),
  });
  const said = await answer.text();
  if (!answer.ok) throw new Error(`The simulator did not take it: ${said}`);
  return simulator.ledger().find(({ idempotencyKey }) => idempotencyKey === key)?.jobId ?? '';
}
