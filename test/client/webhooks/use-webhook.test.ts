import { describe, expect, it } from '@jest/globals';
import { JobHints } from '../../../activities/webhooks/job-hints.ts';
import { ApiError } from '../../../api/speech-api.ts';
import { changeProfile, clearWebhook } from '../../../client/account/account-functions.ts';
import { realmOf, type ConnectedApi } from '../../../client/connect-api.ts';
import { restoreLeftover } from '../../../client/webhooks/restore-webhook.ts';
import { newSecret } from '../../../client/webhooks/webhook-url.ts';
import { WebhookUse } from '../../../client/webhooks/use-webhook.ts';
import { type WebhookSettings, pauseAfter, type WebhookEvent } from '../../../client/webhooks/webhook-options.ts';
import type { Failure } from '../../../contract/failures.ts';
import type { FaultPlan } from '../../../simulator/start-simulator.ts';
import { ledgerForEachTest, ledger } from '../../ledger/setup.ts';
import { waitFor } from '../../support/wait-for.ts';
import { serve } from '../../support/api-server.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { DEAD, OLD, openAccount, shownBy } from './account-with-webhook.ts';

const WISH: WebhookSettings = { url: 'https://here.example/hooks/', host: '127.0.0.1', port: 0 };
/** The update by the use under test: after the opening, an update with its look, and the look of what is there. */
const OUR_UPDATE = { nth: 5 };

let open: ConnectedApi;
let hints: JobHints;
let event: WebhookEvent[];
ledgerForEachTest();

/** An account with a webhook of its own. */
async function start(webhookUrl = OLD, plan?: FaultPlan): Promise<void> {
  [hints, event] = [new JobHints(), []];
  const shape = 'profile.webhook=webhookUrl,profile.updated=success,profile.clear=null';
  ({ open } = await openAccount(webhookUrl, { shape, ...(plan && { plan }) }));
}

function use(wish: Partial<WebhookSettings> = {}, { triesAgain = true } = {}): WebhookUse {
  const onEvent = (one: WebhookEvent): void => {
    event.push(one);
  };
  const made = new WebhookUse({
    settings: { ...WISH, ...wish },
    owner: 'mine',
    memoryMs: 1_000,
    ...{ open, ledger, hints, onEvent },
    // As often, but sooner.
    pauseAfter: (one) => (pauseAfter(one) === undefined || !triesAgain ? undefined : 20),
  });
  endAfterTest(() => made.end());
  return made;
}

/** A use that has begun. */
async function begin(...of: Parameters<typeof use>): Promise<WebhookUse> {
  const used = use(...of);
  await used.begin();
  return used;
}

/** A use from its beginning to its end. */
const beginAndEnd = async (wish?: Partial<WebhookSettings>): Promise<void> => (await begin(wish)).end();

/** What the API answers to our update. */
const answering = (status: number): FaultPlan => ({
  rules: [{ on: 'profile', match: OUR_UPDATE, fault: { kind: 'status', status } }],
});

const shown = (): Promise<unknown> => shownBy(open);

/** A process that died has left its address on record. */
async function leaveBehind(): Promise<void> {
  const account = realmOf(open);
  await ledger.takeWebhook(account, 'dead');
  await ledger.noteWebhook(account, 'dead', { address: DEAD, before: { type: 'known', url: OLD }, earlier: [] });
}

describe('the use of a webhook', () => {
  it('POST /profile: sets a secret address, takes what comes there for hints, and puts the earlier one back', async () => {
    await start();
    const used = await begin();
    expect(event).toMatchObject([{ type: 'set', to: 'https://here.example/…', before: { url: OLD }, result: 'set' }]);
    const address = String(await shown());
    expect(address).toMatch(/^https:\/\/here\.example\/hooks\/voxbatch-[\w-]{32}$/);
    const port = event[0]?.type === 'set' ? event[0].port : 0;
    hints.track('job-1', {}, 0, 1_000);
    expect(hints.pollAt('job-1')).toBe(Infinity);
    const url = new URL(new URL(address).pathname, `http://127.0.0.1:${String(port)}`);
    const heard = new Promise<void>((resolve) => {
      hints.onWake('job-1', resolve);
    });
    const { status } = await fetch(url, { method: 'POST', body: '{"id":"job-1"}', headers: { connection: 'close' } });
    expect(status).toBe(204);
    await heard;
    expect(hints.pollAt('job-1')).toBeLessThan(Infinity);
    await used.end();
    expect(event.slice(1)).toMatchObject([{ type: 'over', end: 'back', isLeftover: false }]);
    expect(await shown()).toBe(OLD);
    expect(await ledger.webhookOf(realmOf(open))).toBeUndefined();
    await expect(fetch(url, { method: 'POST' })).rejects.toThrow();
  });

  it('leaves the webhook to a living process that has it', async () => {
    await start();
    await ledger.beat({ owner: 'other', ...realmOf(open) });
    await ledger.takeWebhook(realmOf(open), 'other');
    await beginAndEnd();
    expect(event).toEqual([{ type: 'in-use' }]);
    expect(await shown()).toBe(OLD);
    expect(await ledger.webhookOf(realmOf(open))).toMatchObject({ owner: 'other' });
  });

  it('refuses a port that is taken, and changes nothing', async () => {
    await start();
    const { port } = await serve(() => undefined);
    const problem = { type: 'no-webhook-port', code: 'EADDRINUSE' };
    await expect(use({ port }).begin()).rejects.toMatchObject({ problem });
    expect(await shown()).toBe(OLD);
    expect(await ledger.webhookOf(realmOf(open))).toBeUndefined();
  });

  it('puts back what was there before a process that died, not what that one had set', async () => {
    await start(DEAD);
    await leaveBehind();
    const used = await begin();
    expect(event).toMatchObject([{ type: 'set', before: { type: 'known', url: OLD } }]);
    await used.end();
    expect(await shown()).toBe(OLD);
  });

  it('puts back what the user says', async () => {
    await start();
    await beginAndEnd({ restore: 'https://other.example/hook' });
    expect(await shown()).toBe('https://other.example/hook');
  });

  it('says that the API refuses the address, and says nothing of the webhook in the end', async () => {
    await start(OLD, answering(400));
    await beginAndEnd();
    expect(event).toMatchObject([{ type: 'not-taken', isFinal: true }]);
    expect(await shown()).toBe(OLD);
    expect(await ledger.webhookOf(realmOf(open))).toBeUndefined();
  });

  it('puts back what a process that died had left also where the API refuses the new address', async () => {
    await start(DEAD, answering(400));
    await leaveBehind();
    await beginAndEnd();
    expect(event).toMatchObject([{ type: 'over', end: 'back', isLeftover: true }, { type: 'not-taken' }]);
    expect(await shown()).toBe(OLD);
  });

  it('puts back what was there before a process that died, although the next one died before it set its own', async () => {
    await start(DEAD, answering(503));
    await leaveBehind();
    await begin({}, { triesAgain: false });
    expect(event).toMatchObject([{ type: 'not-taken' }]);
    expect(await shown()).toBe(DEAD);
    await ledger.forgetWorkers('all');
    expect(await restoreLeftover(ledger, open, { owner: 'next' }, new AbortController().signal)).toMatchObject({
      end: 'back',
    });
    expect(await shown()).toBe(OLD);
  });

  it('keeps the record of a process that died where the profile cannot be read, and puts its webhook back in the end', async () => {
    await start(DEAD);
    await leaveBehind();
    const { api } = open;
    const failure: Failure = { class: 'BadToken', message: 'Not now' };
    open = { ...open, api: { ...api, readProfile: () => Promise.reject(new ApiError(failure)) } };
    const used = await begin({}, { triesAgain: false });
    expect(await ledger.webhookOf(realmOf(open))).toMatchObject({ set: { address: DEAD } });
    await used.end();
    expect(event).toMatchObject([{ type: 'not-taken' }, { type: 'over', end: 'away', isLeftover: true }]);
    open = { ...open, api };
    expect(await ledger.webhookOf(realmOf(open))).toMatchObject({ set: { address: DEAD }, isAlive: false });
    expect(await restoreLeftover(ledger, open, { owner: 'next' }, new AbortController().signal)).toMatchObject({
      end: 'back',
    });
    expect(await shown()).toBe(OLD);
  });

  it('tries again where the API was busy', async () => {
    await start(OLD, answering(429));
    const used = await begin();
    await waitFor(() => event.length > 1);
    expect(event).toMatchObject([
      { type: 'not-taken', isFinal: false },
      { type: 'set', before: { type: 'known', url: OLD } },
    ]);
    await used.end();
    expect(await shown()).toBe(OLD);
  });

  it('sets nothing after it stood still for so long that another process took its turn', async () => {
    await start();
    const account = realmOf(open);
    const { api } = open;
    const readProfile: typeof api.readProfile = async (signal) => {
      await ledger.forgetWorkers('all');
      await ledger.beat({ owner: 'other', ...account });
      await ledger.takeWebhook(account, 'other');
      return api.readProfile(signal);
    };
    open = { ...open, api: { ...api, readProfile } };
    await beginAndEnd();
    open = { ...open, api };
    expect(event).toEqual([{ type: 'in-use' }]);
    expect(await shown()).toBe(OLD);
    expect(await ledger.webhookOf(account)).toMatchObject({ owner: 'other', set: null });
  });

  it('knows that there was no webhook where the profile shows the field only once it is set', async () => {
    await start();
    await clearWebhook(open);
    const { api } = open;
    const readProfile: typeof api.readProfile = async (signal) => {
      const { webhookUrl, ...profile } = await api.readProfile(signal);
      return webhookUrl == null ? profile : { ...profile, webhookUrl };
    };
    open = { ...open, api: { ...api, readProfile } };
    const used = await begin();
    expect(event).toMatchObject([{ type: 'set', before: { type: 'known', url: null }, result: 'set' }]);
    await used.end();
    open = { ...open, api };
    expect(event[1]).toMatchObject({ type: 'over', end: 'back' });
    expect(await shown()).toBeNull();
  });
});

describe('two ledgers on one account', () => {
  /** What a voxbatch with other records has set. */
  const FOREIGN = `https://ci.example/hooks/${newSecret()}`;

  it('do not take the webhook from each other: the later one waits until the first has put back what was there', async () => {
    await start(FOREIGN);
    const used = await begin();
    expect(event).toEqual([{ type: 'foreign', to: 'https://ci.example/…' }]);
    expect(await shown()).toBe(FOREIGN);
    expect(await ledger.webhookOf(realmOf(open))).toBeUndefined();
    await changeProfile(open, { webhookUrl: OLD });
    await waitFor(() => event.length > 1);
    expect(event[1]).toMatchObject({ type: 'set', before: { type: 'known', url: OLD } });
    await used.end();
    expect(await shown()).toBe(OLD);
  });

  it('leave the webhook of the other one alone in the end, too', async () => {
    await start(FOREIGN);
    await beginAndEnd();
    expect(event).toEqual([{ type: 'foreign', to: 'https://ci.example/…' }]);
    expect(await shown()).toBe(FOREIGN);
  });

  it('may be one for good: what the user says is put back', async () => {
    await start(FOREIGN);
    const used = await begin({ restore: OLD });
    expect(event).toMatchObject([{ type: 'set', before: { type: 'known', url: OLD } }]);
    await used.end();
    expect(await shown()).toBe(OLD);
  });
});
