import { defined } from '../../contract/defined.ts';
import { asId, asIds, asText, firstOf, type JsonObject, objectsAt, readCreatedAtMs } from '../read-members.ts';
import type { Voice } from '../speech-api.ts';
import { readTraining } from './voice-training.ts';

/** Where an answer may have the voice, the most reliable place first. */
const VOICE_PLACES = ['voice', 'data.voice', 'model', 'data.model', 'data', ''];

const ID_NAMES = ['voiceId', 'voice_id', 'id', 'modelId', 'model_id'];

/** The id of the voice that an answer is about; undefined if it names none. */
export function readVoiceId(json: unknown): string | undefined {
  return firstOf(objectsAt(json, VOICE_PLACES), ID_NAMES, asId);
}

/** A voice in a list; undefined if it has no id. */
export function readListedVoice(item: JsonObject): Voice | undefined {
  const objects = [...objectsAt(item, ['voice']), item];
  const id = firstOf(objects, ID_NAMES, asId);
  if (id === undefined) return undefined;
  return {
    id,
    name: firstOf(objects, ['name', 'title'], asText) ?? id,
    provider: firstOf(objects, ['provider'], asText) ?? '',
    ...defined({
      modelIds: firstOf(objects, ['modelIds', 'model_ids'], asIds),
      createdAtMs: readCreatedAtMs(objects),
      isInTraining: readTraining(objects),
    }),
  };
}
