import { basename } from 'node:path';
import { defined } from '../contract/defined.ts';
import type { Config } from '../inputs/config-file.ts';
import type { WantedBatch } from './batch-settings.ts';

/** The options for a manifest, completed from the configuration. */
export interface ConfiguredBatch {
  readonly wanted: WantedBatch;
  /** The configuration's map for all manifests, without columns that another map names. */
  readonly mapIfThere: Readonly<Record<string, string>>;
  /** Whether the configuration says how rows are read. */
  readonly isConfigured: boolean;
}

/**
 * Completes options from the configuration: options come first, then the configuration's entry for manifests of this
 * file name, then its values for all manifests. A null in such an entry overrides the value for all manifests.
 * `manifest`: path or URL of the manifest.
 */
export function withConfig(wanted: WantedBatch, config: Config, manifest: string): ConfiguredBatch {
  const { manifests = {}, ...ofAll } = config;
  const entry = Object.hasOwn(manifests, basename(manifest)) ? (manifests[basename(manifest)] ?? {}) : {};
  const { fileName, join, voice, cast } = { ...ofAll, ...entry };
  const { defaults, map: asked } = wanted;
  const map = { ...entry.map, ...asked };
  const mapIfThere = Object.fromEntries(Object.entries(ofAll.map ?? {}).filter(([ours]) => map[ours] === undefined));
  const joining = typeof join === 'string' ? { column: join, pause: 0 } : (join ?? undefined);
  const read = {
    cast: wanted.cast ?? cast ?? undefined,
    join: wanted.join ?? joining,
    defaults: Object.assign(typeof voice === 'string' ? { voice } : {}, defaults),
  };
  const setsReading = [voice, joining, cast].some((value) => value !== undefined && value !== null);
  return {
    wanted: { ...wanted, map, ...defined({ ...read, nameTemplate: wanted.nameTemplate ?? fileName ?? undefined }) },
    mapIfThere,
    isConfigured: setsReading || entry.map !== undefined,
  };
}
