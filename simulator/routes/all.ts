import type { ApiRoutes } from './api-routes.ts';
import { lipSyncRoutes } from './lip-sync.ts';
import { profileRoutes } from './profile.ts';
import { speechRoutes } from './speech.ts';
import { transcriptionRoutes } from './transcription.ts';
import { videoDubbingRoutes } from './video-dubbing.ts';
import { voiceRoutes } from './voices.ts';

/** Everything that the API answers to. A new resource is a file here and its line in this list. */
export const API_ROUTES: readonly ApiRoutes[] = [
  profileRoutes,
  voiceRoutes,
  speechRoutes,
  transcriptionRoutes,
  lipSyncRoutes,
  videoDubbingRoutes,
];
