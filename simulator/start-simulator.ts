import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { addOperations } from '../contract/own-operations/own-operation-rules.ts';
import { API_PATH } from '../contract/urls.ts';
import { formatListenAddress } from '../contract/listen-address.ts';
import { buildApiServer } from './api-server.ts';
import type { LedgerEntry } from './charge-ledger.ts';
import { buildMediaServer } from './media-server.ts';
import { Service } from './service.ts';
import { readySettings, type SimulatorOptions } from './settings.ts';

export type { LedgerEntry } from './charge-ledger.ts';
export type { FaultPlan } from './fault-plan.ts';
export type { SimulatorOptions } from './settings.ts';

/** A running simulator. */
export interface Simulator {
  /** Base URL of the API, ending in `/api/open/v1`. */
  readonly url: string;
  /** Origin of results and samples. */
  readonly mediaUrl: string;
  readonly port: number;
  readonly token: string;
  /** Stops both servers and closes every connection. */
  close(): Promise<void>;
  /** Every accepted paid request so far. */
  ledger(): LedgerEntry[];
}

/**
 * Starts a local stand-in for the whole API. Its only outgoing requests go to the profile's webhook and, with
 * `fetchMedia`, to the media of requests. Throws on invalid options, or if a port is taken.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const settings = readySettings(options);
  const { host } = settings;
  addOperations(settings.operations);
  // Links contain the media port, which is known only once that server listens.
  let service: Service | null = null;
  const media = buildMediaServer(() => {
    if (service === null) throw new Error('the simulator is still starting');
    return service;
  });
  const mediaUrl = await listen(media, host, settings.mediaPort);
  service = new Service(settings, mediaUrl);
  const api = buildApiServer(service);
  let origin: string;
  try {
    origin = await listen(api, host, settings.port);
  } catch (error) {
    await media.close();
    throw error;
  }
  const { ledger } = service;
  return {
    url: origin + API_PATH,
    mediaUrl,
    port: Number(new URL(origin).port),
    token: settings.token,
    close: async () => {
      service.webhooks.close();
      service.mediaFetches.close();
      await Promise.all([api.close(), media.close()]);
    },
    ledger: () => ledger.list(),
  };
}

/** Starts listening and returns the origin. */
async function listen(server: FastifyInstance, host: string, port: number): Promise<string> {
  await server.listen({ host, port });
  const address = server.server.address() as AddressInfo;
  return `http://${formatListenAddress({ host, port: address.port })}`;
}
