import { describe, expect, it } from '@jest/globals';
import { CannotListen, openInThread } from '../../../client/webhooks/webhook-listener.ts';

const REQUEST = { host: '127.0.0.1', port: 0, secret: 'aSecret', memoryMs: 1_000 };

/** The entry of a thread that does this. */
function entry(work: string): URL {
  const source = `import { parentPort } from 'node:worker_threads'; ${work}`;
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}

describe('openInThread', () => {
  it('says that the port cannot be had, and not that a listener has died', async () => {
    let deaths = 0;
    const onDeath = (): void => {
      deaths += 1;
    };
    const failing = entry(`parentPort.postMessage({ type: 'failed', code: 'EADDRINUSE' });`);
    await expect(openInThread(failing, REQUEST, { onMentions: () => undefined, onDeath })).rejects.toEqual(
      new CannotListen('EADDRINUSE'),
    );
    expect(deaths).toBe(0);
  });

  it('says that a listener has died', async () => {
    const dying = entry(`parentPort.postMessage({ type: 'listening', port: 1 });`);
    await new Promise<void>((resolve, reject) => {
      openInThread(dying, REQUEST, { onMentions: () => undefined, onDeath: resolve }).catch(reject);
    });
  });
});
