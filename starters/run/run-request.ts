import type { ManifestSource } from '../../inputs/manifest-source.ts';
import type { EarlyServer } from '../../client/early-server.ts';
import type { Settings } from '../../client/settings.ts';
import type { RunFlags, RunPlan } from './run-options.ts';

/** What is known before the manifest is read. */
export interface RunRequest {
  /** As typed. */
  readonly manifestPath: string;
  readonly source: ManifestSource;
  readonly flags: RunFlags;
  readonly settings: Settings;
  readonly plan: RunPlan;
  /** The embedded server, if it was started early. */
  readonly server: EarlyServer | undefined;
}
