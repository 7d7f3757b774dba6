/** @slow */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError } from '../../../api/speech-api.ts';
import { changeProfile } from '../../../client/account/account-functions.ts';
import { createApi, realmOf, type ConnectedApi } from '../../../client/connect-api.ts';
import { restoreWebhook, restoreLeftover, type Leftover } from '../../../client/webhooks/restore-webhook.ts';
import type { RestoreResult } from '../../../client/webhooks/webhook-options.ts';
import type { Failure } from '../../../contract/failures.ts';
import type { WebhookBefore, WebhookRecord } from '../../../ledger/webhooks/webhooks.ts';
import type { FaultPlan, Simulator } from '../../../simulator/start-simulator.ts';
import { ledgerForEachTest, ledger } from '../../ledger/setup.ts';
import { closing, OLD, openAccount, shownBy } from './account-with-webhook.ts';

const OURS = 'https://here.example/secret';
const THEIRS = 'https://theirs.example/hooks';
const KNOWN: WebhookBefore = { type: 'known', url: OLD };
const NONE: WebhookBefore = { type: 'known', url: null };
const UNKNOWN: WebhookBefore = { type: 'unknown' };
const { signal } = new AbortController();

let simulator: Simulator;
let open: ConnectedApi;
ledgerForEachTest();

/** An account whose webhook is ours. */
async function start(shape: string, plan?: FaultPlan): Promise<void> {
  const options = { shape: `${shape},profile.updated=success`, ...(plan && { plan }) };
  ({ open, simulator } = await openAccount(OURS, options));
}

async function setTo(webhookUrl: string): Promise<void> {
  await changeProfile(open, { webhookUrl });
}

const shown = (): Promise<unknown> => shownBy(open);

/** The same account, whose API refuses to say anything. */
async function silent(): Promise<ConnectedApi> {
  const api = await createApi({ baseUrl: open.api.baseUrl, token: 'wrong' });
  return closing({ ...open, api });
}

/** The same account, whose API has no time for updates. */
function busy(): ConnectedApi {
  const failure: Failure = { class: 'RateLimited', message: 'Too many requests' };
  return { ...open, api: { ...open.api, updateProfile: () => Promise.reject(new ApiError(failure)) } };
}

describe('restoreWebhook', () => {
  const restore = (before: WebhookBefore, of = open): ReturnType<typeof restoreWebhook> =>
    restoreWebhook(of, { address: OURS, before, earlier: [] }, signal);

  const SHOWN = 'profile.webhook=webhookUrl';

  it.each([
    ['sets the address that was there before', SHOWN, OURS, KNOWN, 'back', OLD],
    ['takes ours away where there was none, by null', `${SHOWN},profile.clear=null`, OURS, NONE, 'back', null],
    ['or by nothing in the field', 'profile.webhook=webhook_url,profile.clear=empty', OURS, NONE, 'back', null],
    ['leaves ours where the API cannot take it away', `${SHOWN},profile.clear=nothing`, OURS, NONE, 'stays', OURS],
    ['leaves alone what somebody else has set meanwhile', SHOWN, THEIRS, KNOWN, 'others', THEIRS],
    ['has nothing to do where the earlier address is there already', SHOWN, OLD, KNOWN, 'back', OLD],
    ['changes nothing where nobody knows what was there', SHOWN, OURS, UNKNOWN, 'unknown', OURS],
  ])('%s', async (_, shape, now, before, end, after) => {
    await start(shape);
    await setTo(now);
    expect(await restore(before)).toBe(end);
    expect(await shown()).toBe(after);
  });

  it('sets the earlier address, if it is known, although the profile shows none', async () => {
    await start('profile.webhook=absent');
    expect(await restore(KNOWN)).toBe('back');
    expect(simulator.ledger()).toEqual([]);
  });

  it.each([
    ['back', 'although the answer that it was done is lost', { status: 502, body: 'foreign', accepted: true }],
    ['back', 'although the first one was not done, and nobody knows', { status: 502, body: 'foreign' }],
    ...([429, 401, 402] as const).map((status) => ['back', 'after a no that is not about it', { status }] as const),
    ['stays', 'where the API refuses the earlier one', { status: 400 }],
  ] as const)('%s, of the address, %s: %j', async (end, _, answer) => {
    // Before the update: the opening, an update with its look, and the look of what is there.
    await start(SHOWN, { rules: [{ on: 'profile', match: { nth: 5 }, fault: { kind: 'status', ...answer } }] });
    expect(await restore(KNOWN)).toBe(end);
    expect(await shown()).toBe(end === 'back' ? OLD : OURS);
  });

  it.each([KNOWN, NONE])('is away, not refused, while the API says 429 to each update: %j', async (before) => {
    await start(`${SHOWN},profile.clear=null`);
    expect(await restore(before, busy())).toBe('away');
    expect(await shown()).toBe(OURS);
  });

  it('takes an address of an earlier process for ours', async () => {
    await start(SHOWN);
    const set = { address: 'https://here.example/never-set', before: KNOWN, earlier: [THEIRS, OURS] };
    expect(await restoreWebhook(open, set, signal)).toBe('back');
    expect(await shown()).toBe(OLD);
  });

  it('gives up where the API does not answer, or the time is over', async () => {
    await start(SHOWN);
    expect(await restore(KNOWN, await silent())).toBe('away');
    expect(await restoreWebhook(open, { address: OURS, before: KNOWN, earlier: [] }, AbortSignal.abort())).toBe('away');
    expect(await shown()).toBe(OURS);
  });
});

describe('restoreLeftover', () => {
  const SET: WebhookRecord['set'] = { address: OURS, before: KNOWN, earlier: [] };
  const leftover = (of = open): ReturnType<typeof restoreLeftover> =>
    restoreLeftover(ledger, of, { owner: 'next' }, signal);
  const ended = (end: RestoreResult): Leftover => ({ end, before: KNOWN, address: OURS });
  beforeEach(() => start('profile.webhook=webhookUrl'));

  /** A process takes the webhook, and notes this. */
  async function take(set: WebhookRecord['set']): Promise<void> {
    const account = realmOf(open);
    await ledger.beat({ owner: 'killed', ...account });
    await ledger.takeWebhook(account, 'killed');
    await ledger.noteWebhook(account, 'killed', set);
  }
  /** The process that took it dies. */
  async function leave(set = SET): Promise<void> {
    await take(set);
    await ledger.forgetWorkers('all');
  }

  it('does nothing where nobody has used the webhook', async () => {
    expect(await leftover()).toBeUndefined();
    expect(await shown()).toBe(OURS);
  });

  it('leaves the webhook of a living process alone', async () => {
    await take(SET);
    expect(await leftover()).toBeUndefined();
    expect(await shown()).toBe(OURS);
    expect(await ledger.webhookOf(realmOf(open))).toMatchObject({ owner: 'killed', set: SET });
  });

  it('restores what a dead process left, once', async () => {
    await leave();
    expect(await leftover()).toEqual(ended('back'));
    expect(await shown()).toBe(OLD);
    expect(await ledger.webhookOf(realmOf(open))).toBeUndefined();
    expect(await leftover()).toBeUndefined();
  });

  it('clears the record of a process that died before it set anything', async () => {
    await leave(null);
    expect(await leftover()).toBeUndefined();
    expect(await shown()).toBe(OURS);
    expect(await ledger.webhookOf(realmOf(open))).toBeUndefined();
  });

  it('keeps the record where the API is busy, for another process, also while this one lives', async () => {
    await leave();
    await ledger.beat({ owner: 'next', ...realmOf(open) });
    expect(await leftover(busy())).toEqual(ended('away'));
    expect(await restoreLeftover(ledger, open, { owner: 'another' }, signal)).toEqual(ended('back'));
    expect(await shown()).toBe(OLD);
  });

  it('keeps the record where the API refuses the earlier address, until somebody has set another one', async () => {
    await leave();
    const failure: Failure = { class: 'BadRequest', message: 'No such host' };
    const refusing = { ...open, api: { ...open.api, updateProfile: () => Promise.reject(new ApiError(failure)) } };
    expect(await leftover(refusing)).toEqual(ended('stays'));
    expect(await ledger.webhookOf(realmOf(open))).toMatchObject({ owner: '', set: SET });
    expect(await restoreLeftover(ledger, open, { owner: 'next', except: OURS }, signal)).toBeUndefined();
    expect(await shown()).toBe(OURS);
    await setTo(THEIRS);
    expect(await leftover()).toEqual(ended('others'));
    expect(await ledger.webhookOf(realmOf(open))).toBeUndefined();
  });

  it('keeps the record for the next start where the API does not answer', async () => {
    await leave();
    expect(await leftover(await silent())).toEqual(ended('away'));
    expect(await ledger.webhookOf(realmOf(open))).toMatchObject({ owner: '', set: SET, isAlive: false });
    expect(await leftover()).toEqual(ended('back'));
    expect(await shown()).toBe(OLD);
  });
});
