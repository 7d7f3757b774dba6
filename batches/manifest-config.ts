import { basename } from 'node:path';
import { defined } from '../contract/defined.ts';
import type { Config } from '../inputs/config-file.ts';
import type { WantedBatch } from './batch-settings.ts';

/** The options for a manifest, with what the configuration says of it. */
export interface ConfiguredBatch {
  readonly wanted: WantedBatch;
  /** The configuration's map for all manifests, without columns that another map names. */
  readonly mapIfThere: Readonly<Record<string, string>>;
  /** Whether the configuration says how rows are read. */
  readonly isConfigured: boolean;
}

/**
 * Adds to the options what the configuration says of manifests of this file name, then of all. Options come first. Null
 * in the configuration means none, whatever it says of all.
 */
export function withConfig(wanted: WantedBatch, config: Config, manifest: string): ConfiguredBatch {
  const { manifests = {}, ...ofAll } = config;
  const own = Object.hasOwn(manifests, basename(manifest)) ? (manifests[basename(manifest)] ?? {}) : {};
  const { fileName, join, voice, cast } = { ...ofAll, ...own };
  const { defaults, map: asked } = wanted;
  const map = { ...own.map, ...asked };
  const left = Object.entries(ofAll.map ?? {}).filter(([ours]) => map[ours] === undefined);
  const joining = typeof join === 'string' ? { column: join, pause: 0 } : (join ?? undefined);
  const read = {
    cast: wanted.cast ?? cast ?? undefined,
    join: wanted.join ?? joining,
    defaults: Object.assign(typeof voice === 'string' ? { voice } : {}, defaults),
  };
  const isRead = [voice, joining, cast].some((one) => (one ?? undefined) !== undefined);
  return {
    wanted: { ...wanted, map, ...defined({ ...read, nameTemplate: wanted.nameTemplate ?? fileName ?? undefined }) },
    mapIfThere: Object.fromEntries(left),
    isConfigured: isRead || own.map !== undefined,
  };
}
