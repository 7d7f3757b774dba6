/**
 * The simulator as a process of its own, whose result links lead through a proxy. It is put together from the parts of
 * `simulator/`, because the proxy must know the port of the media before the links can name the proxy: it sends the port, and
 * gets the origin that links shall have. From then on it sends how many paid requests it has taken, while that grows.
 */
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { API_PATH } from '../../contract/urls.ts';
import { buildApiServer } from '../../simulator/api-server.ts';
import { buildMediaServer } from '../../simulator/media-server.ts';
import { Service } from '../../simulator/service.ts';
import { readySettings, type SimulatorOptions } from '../../simulator/settings.ts';

/** What this process tells its parent. */
export type SimulatorMessage =
  | { readonly mediaPort: number }
  | { readonly url: string }
  /** Paid requests taken so far. */
  | { readonly charged: number };

const TELL_EVERY_MS = 100;

function tell(message: SimulatorMessage): void {
  process.send?.(message);
}

const settings = readySettings(JSON.parse(process.env['CHAOS_SIMULATOR'] ?? '{}') as SimulatorOptions);
let service: Service | null = null;
const media = buildMediaServer(() => {
  if (service === null) throw new Error('the simulator is still starting');
  return service;
});
await media.listen({ host: '127.0.0.1', port: 0 });
const heard = once(process, 'message');
tell({ mediaPort: (media.server.address() as AddressInfo).port });
const [origin] = (await heard) as [string];
service = new Service(settings, origin);
const api = buildApiServer(service);
tell({ url: (await api.listen({ host: '127.0.0.1', port: settings.port })) + API_PATH });

const { ledger } = service;
let told = 0;
setInterval(() => {
  const charged = ledger.list().length;
  if (charged > told) tell({ charged });
  told = charged;
}, TELL_EVERY_MS);
// A judge without a court has nothing to do.
process.on('disconnect', () => process.exit(0));
