import type { Flag } from './flag-values.ts';

/** Flags of Temporal's Worker Versioning, in its own words. */
export const WORKER_VERSION = {
  deployment: [
    '--deployment <name>',
    "Take part in Temporal's Worker Versioning: a batch stays with the workers of its version until it continues as new (default: TEMPORAL_DEPLOYMENT_NAME)",
  ],
  buildId: [
    '--build-id <id>',
    "This worker's version in its deployment (default: TEMPORAL_WORKER_BUILD_ID, else the version of voxbatch)",
  ],
} as const satisfies Readonly<Record<string, Flag>>;
