import { asText, firstOf, objectsAt } from '../read-members.ts';
import type { OperationClient } from './operation-client.ts';
import { speechBody } from './speech-body.ts';

/** Speech in the answer itself. With the API's cache the answer is JSON with a short-lived link instead. */
export const speechSync: OperationClient = {
  path: '/speech/tts',
  answersMedia: true,
  answersJob: false,
  body: speechBody,
  reply(json) {
    const url = firstOf(objectsAt(json, ['', 'data', 'result', 'data.result']), ['audio_url', 'audioUrl'], asText);
    return url === undefined ? undefined : { gave: 'link', url };
  },
};
