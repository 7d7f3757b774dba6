import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { JobHints } from '../../../activities/job-hints.ts';
import { ApiError } from '../../../api/speech-api.ts';
import { changeProfile } from '../../../client/account/change-profile.ts';
import { openApi, readProfilePatiently, realmOf, type OpenApi } from '../../../client/open-api.ts';
import { putLeftoverBack } from '../../../client/webhooks/put-back.ts';
import { WebhookUse, type WebhookNews, type WebhookWish } from '../../../client/webhooks/use-webhook.ts';
import type { Failure } from '../../../contract/failures.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { startSimulator, type FaultPlan, type Simulator } from '../../../simulator/start-simulator.ts';
import { ledgerForEachTest } from '../../ledger/setup.ts';

const OLD = 'https://old.example/hooks/of-somebody';
const DEAD = 'https://here.example/of-a-dead-process';
const WISH: WebhookWish = { url: 'https://here.example/hooks/', host: '127.0.0.1', port: 0 };
/** The update by the use under test: after the opening, an update with its look, and the look of what is there. */
const OUR_UPDATE = { nth: 5 };

let ledger: Ledger;
let simulator: Simulator | undefined;
let open: OpenApi;
let hints: JobHints;
let news: WebhookNews[];
let uses: WebhookUse[];
ledgerForEachTest((made) => {
  ledger = made;
});
afterEach(async () => {
  for (const use of uses) await use.end();
  open.api.close();
  await simulator?.close();
});

/** An account with a webhook of its own. */
async function start(webhookUrl = OLD, plan?: FaultPlan): Promise<void> {
  [hints, news, uses] = [new JobHints(), [], []];
  const shape = 'profile.webhook=webhookUrl,profile.updated=success';
  simulator = await startSimulator({ shape, ...(plan === undefined ? {} : { plan }) });
  open = await openApi({ baseUrl: simulator.url, token: simulator.token });
  await changeProfile(open, { webhookUrl });
}

function use(wish: Partial<WebhookWish> = {}): WebhookUse {
  const tell = (one: WebhookNews): void => {
    news.push(one);
  };
  const made = new WebhookUse({
    wish: { ...WISH, ...wish },
    owner: 'mine',
    memoryMs: 1_000,
    ...{ open, ledger, hints, tell },
  });
  uses.push(made);
  return made;
}

const shown = async (): Promise<unknown> => (await readProfilePatiently(open.api)).webhookUrl;

/** A process that died has left its address on record. */
async function leaveBehind(): Promise<void> {
  const account = realmOf(open);
  await ledger.takeWebhook(account, 'dead');
  await ledger.noteWebhook(account, 'dead', { address: DEAD, before: { type: 'known', url: OLD }, earlier: [] });
}

describe('the use of a webhook', () => {
  it('POST /profile: sets a secret address, takes what comes there for hints, and puts the earlier one back', async () => {
    await start();
    const used = use();
    await used.begin();
    expect(news).toMatchObject([{ type: 'set', to: 'https://here.example/…', before: { url: OLD }, result: 'set' }]);
    const address = String(await shown());
    expect(address).toMatch(/^https:\/\/here\.example\/hooks\/[\w-]{32}$/);
    const port = news[0]?.type === 'set' ? news[0].port : 0;
    hints.begin('job-1', {}, 0, 1_000);
    expect(hints.lookAt('job-1')).toBe(Infinity);
    const url = new URL(new URL(address).pathname, `http://127.0.0.1:${String(port)}`);
    const heard = new Promise<void>((resolve) => {
      hints.wakes('job-1', resolve);
    });
    const { status } = await fetch(url, { method: 'POST', body: '{"id":"job-1"}', headers: { connection: 'close' } });
    expect(status).toBe(204);
    await heard;
    expect(hints.lookAt('job-1')).toBeLessThan(Infinity);
    await used.end();
    expect(news.slice(1)).toMatchObject([{ type: 'over', end: 'back', isLeftover: false }]);
    expect(await shown()).toBe(OLD);
    expect(await ledger.webhookOf(realmOf(open))).toBeUndefined();
    await expect(fetch(url, { method: 'POST' })).rejects.toThrow();
  });

  it('leaves the webhook to a living process that has it', async () => {
    await start();
    await ledger.beat({ owner: 'other', ...realmOf(open) });
    await ledger.takeWebhook(realmOf(open), 'other');
    const used = use();
    await used.begin();
    await used.end();
    expect(news).toEqual([{ type: 'in-use' }]);
    expect(await shown()).toBe(OLD);
    expect(await ledger.webhookOf(realmOf(open))).toMatchObject({ owner: 'other' });
  });

  it('refuses a port that is taken, and changes nothing', async () => {
    await start();
    const other = net.createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    try {
      await expect(use({ port: (other.address() as AddressInfo).port }).begin()).rejects.toMatchObject({
        problem: { type: 'bad-option' },
      });
    } finally {
      other.close();
    }
    expect(await shown()).toBe(OLD);
    expect(await ledger.webhookOf(realmOf(open))).toBeUndefined();
  });

  it('puts back what was there before a process that died, not what that one had set', async () => {
    await start(DEAD);
    await leaveBehind();
    const used = use();
    await used.begin();
    expect(news).toMatchObject([{ type: 'set', before: { type: 'known', url: OLD } }]);
    await used.end();
    expect(await shown()).toBe(OLD);
  });

  it('puts back what the user says', async () => {
    await start();
    const used = use({ restore: 'https://other.example/hook' });
    await used.begin();
    await used.end();
    expect(await shown()).toBe('https://other.example/hook');
  });

  it('says that the API refuses the address, and says nothing of the webhook in the end', async () => {
    await start(OLD, { rules: [{ on: 'profile', match: OUR_UPDATE, fault: { kind: 'status', status: 400 } }] });
    const used = use();
    await used.begin();
    await used.end();
    expect(news).toMatchObject([{ type: 'not-taken' }]);
    expect(await shown()).toBe(OLD);
    expect(await ledger.webhookOf(realmOf(open))).toBeUndefined();
  });

  it('puts back what a process that died had left also where the API refuses the new address', async () => {
    await start(DEAD, { rules: [{ on: 'profile', match: OUR_UPDATE, fault: { kind: 'status', status: 400 } }] });
    await leaveBehind();
    const used = use();
    await used.begin();
    await used.end();
    expect(news).toMatchObject([{ type: 'not-taken' }, { type: 'over', end: 'back', isLeftover: true }]);
    expect(await shown()).toBe(OLD);
  });

  it('puts back what was there before a process that died, although the next one died before it set its own', async () => {
    await start(DEAD, { rules: [{ on: 'profile', match: OUR_UPDATE, fault: { kind: 'status', status: 503 } }] });
    await leaveBehind();
    await use().begin();
    expect(news).toMatchObject([{ type: 'not-taken' }]);
    expect(await shown()).toBe(DEAD);
    await ledger.forgetWorkers('all');
    expect(await putLeftoverBack(ledger, open, 'next', new AbortController().signal)).toMatchObject({ end: 'back' });
    expect(await shown()).toBe(OLD);
  });

  it('keeps the record of a process that died where the profile cannot be read, and puts its webhook back in the end', async () => {
    await start(DEAD);
    await leaveBehind();
    const { api } = open;
    const failure: Failure = { class: 'BadToken', message: 'Not now' };
    open = { ...open, api: { ...api, readProfile: () => Promise.reject(new ApiError(failure)) } };
    const used = use();
    await used.begin();
    expect(await ledger.webhookOf(realmOf(open))).toMatchObject({ set: { address: DEAD } });
    await used.end();
    expect(news).toMatchObject([{ type: 'not-taken' }, { type: 'over', end: 'away', isLeftover: true }]);
    open = { ...open, api };
    expect(await ledger.webhookOf(realmOf(open))).toMatchObject({ set: { address: DEAD }, isAlive: false });
    expect(await putLeftoverBack(ledger, open, 'next', new AbortController().signal)).toMatchObject({ end: 'back' });
    expect(await shown()).toBe(OLD);
  });
});
