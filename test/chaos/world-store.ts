import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startS3 } from '../s3-server.mjs';
import { atExit } from './at-exit.ts';
import type { KillableServer } from './killable-server.ts';
import type { Toxiproxy } from './toxiproxy.ts';

/** Where a world keeps media. */
export const STORES = ['folder', 's3'] as const;
export type StoreKind = (typeof STORES)[number];

/** The store of a world. */
export interface WorldStore {
  /** Settings to use it with. */
  readonly env: NodeJS.ProcessEnv;
  /** Its server; undefined for a folder. */
  readonly server: KillableServer | undefined;
  /** Folder of its files outside the world's; undefined if there is none. */
  readonly folder: string | undefined;
  /** Ends the server, and removes its files unless they are to be kept. */
  close(keep: boolean): Promise<void>;
}

/** Makes the store of a world in this folder. */
export async function openStore(kind: StoreKind, folder: string, proxy: Toxiproxy): Promise<WorldStore> {
  if (kind === 's3') return startBucket(proxy);
  const store = join(folder, 'store');
  await mkdir(store);
  return { env: { VOXBATCH_STORE: store }, server: undefined, folder: undefined, close: () => Promise.resolve() };
}

/** A bucket of an S3 server, over a link. */
async function startBucket(proxy: Toxiproxy): Promise<WorldStore> {
  const server = await startS3();
  atExit(() => void server.kill());
  const port = await proxy.link('store', new URL(String(server.env['AWS_ENDPOINT_URL_S3'])).host);
  return {
    env: { ...server.env, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`, VOXBATCH_STORE: 's3://media/chaos' },
    server,
    folder: server.bucket,
    close: (keep) => (keep ? server.kill() : server.stop()),
  };
}
