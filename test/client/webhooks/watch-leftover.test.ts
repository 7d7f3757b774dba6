import { beforeEach, describe, expect, it } from '@jest/globals';
import { JobHints } from '../../../activities/webhooks/job-hints.ts';
import { ApiError } from '../../../api/speech-api.ts';
import { realmOf, type ConnectedApi } from '../../../client/connect-api.ts';
import { watchLeftover } from '../../../client/webhooks/watch-leftover.ts';
import type { WebhookEvent } from '../../../client/webhooks/webhook-options.ts';
import type { Failure } from '../../../contract/failures.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { ledgerForEachTest, ledger } from '../../ledger/setup.ts';
import { waitFor } from '../../support/wait-for.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { DEAD, OLD, openAccount, shownBy } from './account-with-webhook.ts';

let open: ConnectedApi;
let events: WebhookEvent[];
ledgerForEachTest();
/** A process has set the account's webhook, and was killed a moment ago. */
beforeEach(async () => {
  events = [];
  ({ open } = await openAccount(DEAD, { shape: 'profile.webhook=webhookUrl,profile.updated=success' }));
  const account = realmOf(open);
  await ledger.beat({ owner: 'dead', ...account });
  await ledger.takeWebhook(account, 'dead');
  await ledger.noteWebhook(account, 'dead', { address: DEAD, before: { type: 'known', url: OLD }, earlier: [] });
});

/** Begins the watch, with other parts of the API or the ledger where a test has its own. */
async function begin(change: Partial<ConnectedApi['api']> = {}, part: Partial<Ledger> = {}): Promise<void> {
  const onEvent = (one: WebhookEvent): void => {
    events.push(one);
  };
  const pauses = { checkEveryMs: 20, tryEveryMs: 20 };
  const mine = { open: { ...open, api: { ...open.api, ...change } }, ledger: { ...ledger, ...part } };
  const watch = await watchLeftover({
    ...mine,
    owner: 'mine',
    hints: new JobHints(),
    memoryMs: 1_000,
    onEvent,
    pauses,
  });
  endAfterTest(() => watch.end());
}

/** An API that says no for this reason, so many times; then it does what it is asked. */
function saysNo(failure: Failure, times: number): { api: Partial<ConnectedApi['api']>; asked: () => number } {
  let asked = 0;
  const updateProfile: ConnectedApi['api']['updateProfile'] = (...update) => {
    asked += 1;
    return asked > times ? open.api.updateProfile(...update) : Promise.reject(new ApiError(failure));
  };
  return { api: { updateProfile }, asked: () => asked };
}

const shown = (): Promise<unknown> => shownBy(open);

describe('the watch for a webhook that was left behind', () => {
  it('puts it back once its process counts as dead', async () => {
    await begin();
    expect([events, await shown()]).toEqual([[], DEAD]);
    await ledger.forgetWorkers('all');
    await waitFor(() => events.length > 0);
    expect(events).toMatchObject([{ type: 'over', end: 'back', isLeftover: true }]);
    expect(await shown()).toBe(OLD);
  });

  it('puts it back once the API has time, and says once that it has none', async () => {
    await ledger.forgetWorkers('all');
    // Three requests make one try.
    const { api } = saysNo({ class: 'RateLimited', message: 'Too many requests' }, 6);
    await begin(api);
    await waitFor(() => events.length > 1);
    expect(events).toMatchObject([
      { type: 'over', end: 'away' },
      { type: 'over', end: 'back' },
    ]);
    expect(await shown()).toBe(OLD);
  });

  it('does not ask again for what the API refuses, but keeps it on record', async () => {
    await ledger.forgetWorkers('all');
    const { api, asked } = saysNo({ class: 'BadRequest', message: 'No such host' }, Infinity);
    let looks = 0;
    const webhookOf: Ledger['webhookOf'] = (account) => {
      looks += 1;
      return ledger.webhookOf(account);
    };
    await begin(api, { webhookOf });
    await waitFor(() => looks > 2);
    expect(events).toMatchObject([{ type: 'over', end: 'stays' }]);
    expect(asked()).toBe(1);
    expect(await ledger.webhookOf(realmOf(open))).toMatchObject({ owner: '', set: { address: DEAD } });
  });
});
