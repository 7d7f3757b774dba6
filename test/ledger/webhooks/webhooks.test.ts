import { beforeEach, describe, expect, it } from '@jest/globals';
import type { WebhookRecord } from '../../../ledger/webhooks/webhooks.ts';
import { ledger, ledgerForEachTest, upTo } from '../setup.ts';

const ACCOUNT = { apiUrl: 'http://127.0.0.1/api/open/v1', account: 'u1' };
const SET: WebhookRecord['set'] = {
  address: 'https://here.example/secret',
  before: { type: 'known', url: 'https://old.example/hook' },
  earlier: ['https://here.example/of-a-dead-process'],
};
const MINE = { type: 'mine', before: undefined };

ledgerForEachTest();

const beat = (owner: string): Promise<void> => ledger.beat({ owner, ...ACCOUNT });
const take = (owner: string, account = ACCOUNT): Promise<unknown> => ledger.takeWebhook(account, owner);
const note = (owner: string, set: WebhookRecord['set']): Promise<boolean> => ledger.noteWebhook(ACCOUNT, owner, set);

it('the webhook of an account goes to one of many processes that ask at once', async () => {
  const owners = upTo(8).map(String);
  await Promise.all(owners.map(beat));
  const taken = await Promise.all(owners.map((owner) => ledger.takeWebhook(ACCOUNT, owner)));
  expect(taken.filter(({ type }) => type === 'mine')).toHaveLength(1);
});

describe('the webhook of an account that a process has taken', () => {
  beforeEach(async () => {
    await beat('one');
    expect(await take('one')).toEqual(MINE);
  });

  it('is its own while it lives: another one is told so and changes nothing', async () => {
    await beat('two');
    expect(await take('two')).toEqual({ type: 'taken' });
    expect(await note('two', SET)).toBe(false);
    await ledger.forgetWebhook(ACCOUNT, 'two');
    expect(await ledger.webhookOf(ACCOUNT)).toEqual({ ...ACCOUNT, owner: 'one', set: null, isAlive: true });
  });

  it.each([{ account: 'u2' }, { apiUrl: 'http://127.0.0.2/api/open/v1' }])('is not that of %j', async (change) => {
    const other = { ...ACCOUNT, ...change };
    expect(await ledger.webhookOf(other)).toBeUndefined();
    expect(await take('two', other)).toEqual(MINE);
  });

  it('is left over by a dead one: the next one gets the record of what it had set', async () => {
    await note('one', SET);
    await ledger.forgetWorkers('all');
    expect(await ledger.webhookOf(ACCOUNT)).toEqual({ ...ACCOUNT, owner: 'one', set: SET, isAlive: false });
    await beat('next');
    expect(await take('next')).toEqual({ type: 'mine', before: { ...ACCOUNT, owner: 'one', set: SET } });
    // It stays on record until the next one has put it back.
    expect(await ledger.webhookOf(ACCOUNT)).toEqual({ ...ACCOUNT, owner: 'next', set: SET, isAlive: true });
    // One that was thought dead and lives no longer has a say.
    expect(await note('one', null)).toBe(false);
    await ledger.forgetWebhook(ACCOUNT, 'one');
    expect(await ledger.webhookOf(ACCOUNT)).toMatchObject({ owner: 'next', set: SET });
  });

  it('is noted before it is set, also where nobody knows what was there, and again by the same process', async () => {
    const other = { address: 'https://here.example/other', earlier: [] };
    const [unknown, none] = [{ type: 'unknown' }, { type: 'known', url: null }] as const;
    for (const set of [SET, { ...other, before: unknown }, { ...other, before: none }, null]) {
      expect(await note('one', set)).toBe(true);
      expect(await take('one')).toMatchObject({ type: 'mine', before: { set } });
    }
  });

  it('can be released with its record, for another process, while its own one lives', async () => {
    await note('one', SET);
    await ledger.releaseWebhook(ACCOUNT, 'two');
    expect(await take('two')).toEqual({ type: 'taken' });
    await ledger.releaseWebhook(ACCOUNT, 'one');
    expect(await ledger.webhookOf(ACCOUNT)).toEqual({ ...ACCOUNT, owner: '', set: SET, isAlive: false });
    expect(await take('two')).toMatchObject({ type: 'mine', before: { set: SET } });
  });

  it('is free once its process has left it', async () => {
    await note('one', SET);
    await ledger.forgetWebhook(ACCOUNT, 'one');
    expect(await ledger.webhookOf(ACCOUNT)).toBeUndefined();
    expect(await take('two')).toEqual(MINE);
  });
});
