import type { ApiRoutes } from '../routes/api-routes.ts';
import { legacyLipSyncRoutes } from './lip-sync.ts';
import { legacyModelRoutes } from './models.ts';
import { legacyProfileRoutes } from './profile.ts';
import { legacySpeechRoutes } from './speech.ts';

/** All legacy routes. They act on the same account, voices and jobs as the current ones. */
export const LEGACY_ROUTES: readonly ApiRoutes[] = [
  legacyProfileRoutes,
  legacyModelRoutes,
  legacySpeechRoutes,
  legacyLipSyncRoutes,
];
