import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { WebhookRecord } from '../../../ledger/webhooks/webhooks.ts';
import { ledgerForEachTest } from '../setup.ts';

const ACCOUNT = { apiUrl: 'http://127.0.0.1/api/open/v1', account: 'u1' };
const SET: WebhookRecord['set'] = {
  address: 'https://here.example/secret',
  before: { type: 'known', url: 'https://old.example/hook' },
  earlier: ['https://here.example/of-a-dead-process'],
};

let ledger: Ledger;
ledgerForEachTest((made) => {
  ledger = made;
});

const beat = (owner: string): Promise<void> => ledger.beat({ owner, ...ACCOUNT });

describe('the webhook of an account', () => {
  it('is taken by one living process; another one is told so and changes nothing', async () => {
    await Promise.all([beat('one'), beat('two')]);
    expect(await ledger.takeWebhook(ACCOUNT, 'one')).toEqual({ type: 'mine', before: undefined });
    expect(await ledger.takeWebhook(ACCOUNT, 'two')).toEqual({ type: 'taken' });
    expect(await ledger.noteWebhook(ACCOUNT, 'two', SET)).toBe(false);
    await ledger.leaveWebhook(ACCOUNT, 'two');
    expect(await ledger.webhookOf(ACCOUNT)).toEqual({ ...ACCOUNT, owner: 'one', set: null, isAlive: true });
  });

  it('goes to one of many processes that ask at once', async () => {
    const owners = Array.from({ length: 8 }, (_, i) => `w${String(i)}`);
    await Promise.all(owners.map(beat));
    const taken = await Promise.all(owners.map((owner) => ledger.takeWebhook(ACCOUNT, owner)));
    expect(taken.filter(({ type }) => type === 'mine')).toHaveLength(1);
  });

  it('belongs to an account: another account, or another API, has its own', async () => {
    await beat('one');
    await ledger.takeWebhook(ACCOUNT, 'one');
    for (const other of [
      { ...ACCOUNT, account: 'u2' },
      { ...ACCOUNT, apiUrl: 'http://127.0.0.2/api/open/v1' },
    ]) {
      expect(await ledger.webhookOf(other)).toBeUndefined();
      expect(await ledger.takeWebhook(other, 'two')).toEqual({ type: 'mine', before: undefined });
    }
  });

  it('of a dead process is left over: the next one gets the record of what it had set', async () => {
    await beat('killed');
    await ledger.takeWebhook(ACCOUNT, 'killed');
    await ledger.noteWebhook(ACCOUNT, 'killed', SET);
    await ledger.forgetWorkers('all');
    expect(await ledger.webhookOf(ACCOUNT)).toEqual({ ...ACCOUNT, owner: 'killed', set: SET, isAlive: false });
    await beat('next');
    expect(await ledger.takeWebhook(ACCOUNT, 'next')).toEqual({
      type: 'mine',
      before: { ...ACCOUNT, owner: 'killed', set: SET },
    });
    // It stays on record until the next one has put it back.
    expect(await ledger.webhookOf(ACCOUNT)).toEqual({ ...ACCOUNT, owner: 'next', set: SET, isAlive: true });
    // One that was thought dead and lives no longer has a say.
    expect(await ledger.noteWebhook(ACCOUNT, 'killed', null)).toBe(false);
    await ledger.leaveWebhook(ACCOUNT, 'killed');
    expect(await ledger.webhookOf(ACCOUNT)).toMatchObject({ owner: 'next', set: SET });
  });

  it('is noted before it is set, also where nobody knows what was there, and again by the same process', async () => {
    await beat('one');
    await ledger.takeWebhook(ACCOUNT, 'one');
    const unknown: WebhookRecord['set'] = {
      address: 'https://here.example/other',
      before: { type: 'unknown' },
      earlier: [],
    };
    const none: WebhookRecord['set'] = {
      address: 'https://here.example/other',
      before: { type: 'known', url: null },
      earlier: [],
    };
    for (const set of [SET, unknown, none, null]) {
      expect(await ledger.noteWebhook(ACCOUNT, 'one', set)).toBe(true);
      expect(await ledger.takeWebhook(ACCOUNT, 'one')).toMatchObject({ type: 'mine', before: { set } });
    }
  });

  it('can be released with its record, for another process, while its own one lives', async () => {
    await beat('one');
    await ledger.takeWebhook(ACCOUNT, 'one');
    await ledger.noteWebhook(ACCOUNT, 'one', SET);
    await ledger.releaseWebhook(ACCOUNT, 'two');
    expect(await ledger.takeWebhook(ACCOUNT, 'two')).toEqual({ type: 'taken' });
    await ledger.releaseWebhook(ACCOUNT, 'one');
    expect(await ledger.webhookOf(ACCOUNT)).toEqual({ ...ACCOUNT, owner: '', set: SET, isAlive: false });
    expect(await ledger.takeWebhook(ACCOUNT, 'two')).toMatchObject({ type: 'mine', before: { set: SET } });
  });

  it('is free once its process has left it', async () => {
    await beat('one');
    await ledger.takeWebhook(ACCOUNT, 'one');
    await ledger.noteWebhook(ACCOUNT, 'one', SET);
    await ledger.leaveWebhook(ACCOUNT, 'one');
    expect(await ledger.webhookOf(ACCOUNT)).toBeUndefined();
    expect(await ledger.takeWebhook(ACCOUNT, 'two')).toEqual({ type: 'mine', before: undefined });
  });
});
