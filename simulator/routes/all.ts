import type { ApiRoutes } from './api-routes.ts';
import { lipSyncRoutes } from './lip-sync.ts';
import { profileRoutes } from './profile.ts';
import { speechRoutes } from './speech.ts';
import { transcriptionRoutes } from './transcription.ts';
import { videoDubbingRoutes } from './video-dubbing.ts';
import { voiceRoutes } from './voices.ts';

/** All routes of the API. A new resource needs a file here and an entry in this list. */
export const API_ROUTES: readonly ApiRoutes[] = [
  profileRoutes,
  voiceRoutes,
  speechRoutes,
  transcriptionRoutes,
  lipSyncRoutes,
  videoDubbingRoutes,
];
