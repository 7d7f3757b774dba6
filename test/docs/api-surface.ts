/*
 * What the service offers, as its contract lists it. docs/api-coverage.md names the tests of each line, and a test
 * fails while a line has none.
 */

/** The endpoints of version 1, relative to the base address, in the order of the contract. */
export const ENDPOINTS = [
  'GET /profile',
  'POST /profile',
  'GET /voices',
  'POST /voices',
  'DELETE /voices/{voiceId}',
  'POST /speech/tts/jobs',
  'GET /speech/tts/jobs/{taskId}',
  'POST /speech/tts',
  'POST /speech/transcriptions',
  'POST /media/lip-sync/jobs',
  'GET /media/lip-sync/jobs',
  'GET /media/lip-sync/jobs/{jobId}',
] as const;

/** Endpoints that the contract does not list, and voxbatch uses all the same. */
export const FURTHER_ENDPOINTS = [
  'POST /media/video-dubbing/jobs',
  'GET /media/video-dubbing/jobs/{jobId}',
  'GET /api/openapi.json',
] as const;

/** Legacy paths, relative to the host, and what replaces each. */
export const LEGACY_ENDPOINTS: Readonly<Record<string, (typeof ENDPOINTS)[number]>> = {
  'POST /api/open/create-model': 'POST /voices',
  'POST /api/open/delete-model': 'DELETE /voices/{voiceId}',
  'POST /api/open/list-models': 'GET /voices',
  'POST /api/open/lip-sync/create': 'POST /media/lip-sync/jobs',
  'GET /api/open/lip-sync/list': 'GET /media/lip-sync/jobs',
  'GET /api/open/lip-sync/query': 'GET /media/lip-sync/jobs/{jobId}',
};

/** Legacy paths that the vendor's table of the move leaves out. */
export const FURTHER_LEGACY_ENDPOINTS: Readonly<Record<string, (typeof ENDPOINTS)[number]>> = {
  'POST /api/open/tts': 'POST /speech/tts',
  'GET /api/open/profile': 'GET /profile',
  'POST /api/open/profile': 'GET /profile',
};

/** The surfaces of the service, and the first words of the commands by which a person uses each. */
export const SURFACES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  Profile: ['profile'],
  'Text to Speech': ['say'],
  'Speech to Text': ['transcribe'],
  Voices: ['voices'],
  'Lip Sync': ['lip-sync'],
};
