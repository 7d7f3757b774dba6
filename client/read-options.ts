import { defined } from '../contract/defined.ts';
import { parseResultMember } from '../contract/result-member.ts';
import { resolve } from 'node:path';
import type { VoxbatchOptions } from './options.ts';
import { messageOf, VoxbatchError } from './problem.ts';
import { refuseOption } from './refuse-option.ts';
import { webhookWish, type WebhookWish } from './webhooks/webhook-options.ts';
import { apiAddress, placesIn, type ApiAccess, type RefusedAddress, type Settings } from './settings.ts';

/** Fills in the places that were not given. Throws {@link VoxbatchError} (`bad-option`) for an impossible one. */
export function settingsOf({ home, ledger, store, config = {}, temporal }: VoxbatchOptions): Settings {
  const folder = resolve(home ?? '.voxbatch');
  return {
    ...placesIn(folder, { ledger, store: store ?? config.store }, ({ of, ...wrong }) =>
      refuseAddress(of === 'store' && store === undefined ? 'config.store' : of, wrong),
    ),
    isLedgerNamed: (home ?? ledger) !== undefined,
    config,
    cluster: temporal,
    env: process.env,
  };
}

function refuseAddress(option: string, { expected, came }: Omit<RefusedAddress, 'of'>): never {
  throw new VoxbatchError({ type: 'bad-option', option, expected, came });
}

/** How webhooks reach this process, if they do. Throws {@link VoxbatchError} (`bad-option`). */
export function wishOf({ webhook, temporal }: Pick<VoxbatchOptions, 'webhook' | 'temporal'>): WebhookWish | undefined {
  if (webhook === undefined) return undefined;
  if (temporal !== undefined) refuseOption('webhook', 'none with a cluster, where other processes work', webhook.url);
  const wish = webhookWish(webhook);
  if (!('expected' in wish)) return wish;
  // The path of an address is a secret.
  const came = wish.option === 'restore' ? 'something else' : webhook[wish.option];
  return refuseOption(`webhook.${wish.option}`, wish.expected, came);
}

/** How the API is reached, and read. Throws {@link VoxbatchError} (`no-api`). */
export function accessOf({ api, config }: Pick<VoxbatchOptions, 'api' | 'config'>): ApiAccess {
  if (api === undefined) throw new VoxbatchError({ type: 'no-api', why: 'No API is given' });
  try {
    const resultMembers = parseResultMember(config?.resultMember);
    return { baseUrl: apiAddress(api.url), token: api.token, ...defined({ resultMembers }) };
  } catch (error) {
    throw new VoxbatchError({ type: 'no-api', why: messageOf(error) });
  }
}
