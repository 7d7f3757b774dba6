import { once } from 'node:events';
import net from 'node:net';
import type { Ledger } from '../../ledger/ledger.ts';
import { realmOf, type OpenApi } from '../open-api.ts';
import { VoxbatchError } from '../problem.ts';
import { CannotListen } from './hint-listener.ts';
import type { WebhookWish } from './webhook-options.ts';

/**
 * Checks that webhooks can be listened for, before a batch is recorded or changed for a command that could not work on it
 * then. While a living process of this ledger has the account's webhook, the port may be that one's, and is needed only after
 * it. Throws {@link VoxbatchError} (`no-webhook-port`).
 */
export async function requirePort(
  wish: Pick<WebhookWish, 'host' | 'port'> | undefined,
  open: OpenApi,
  ledger: Pick<Ledger, 'webhookOf'>,
): Promise<void> {
  if (wish === undefined || (await ledger.webhookOf(realmOf(open)))?.isAlive === true) return;
  const server = net.createServer();
  try {
    await once(server.listen(wish.port, wish.host), 'listening');
  } catch (error) {
    return refusePort(wish, new CannotListen((error as NodeJS.ErrnoException).code));
  } finally {
    server.close();
  }
}

/** Says that nobody can listen there. Throws {@link VoxbatchError} (`no-webhook-port`). */
export function refusePort({ host, port }: Pick<WebhookWish, 'host' | 'port'>, { message: code }: CannotListen): never {
  throw new VoxbatchError({ type: 'no-webhook-port', host, port, code });
}
