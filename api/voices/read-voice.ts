import { defined } from '../../contract/defined.ts';
import { asId, asIds, asText, firstOf, type JsonObject, objectsAt, readCreatedAtMs } from '../read-members.ts';
import type { Voice } from '../speech-api.ts';

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

/** Members that may state a voice's training status. None is documented. */
const STATUS_MEMBERS = ['status', 'state', 'trainingStatus', 'training_status', 'trainingState', 'training_state'];
/** Boolean members that state it. */
const READY_MEMBERS = ['trained', 'isTrained', 'is_trained', 'ready', 'isReady', 'is_ready'];
/** Words for a voice that cannot be used yet. A word that we do not know means that it can. */
const UNFINISHED = new Set([
  ...['training', 'processing', 'pending', 'queued', 'creating', 'preparing', 'building', 'cloning'],
  ...['running', 'started', 'submitted', 'inprogress', 'initializing', 'uploading'],
]);

/** True if a voice, as its object describes it, cannot be used yet; undefined if nothing says so. */
export function readTraining(objects: readonly JsonObject[]): true | undefined {
  const word = firstOf(objects, STATUS_MEMBERS, asText);
  if (word !== undefined && UNFINISHED.has(word.toLowerCase().replaceAll(/[\s_-]/g, ''))) return true;
  const isReady = firstOf(objects, READY_MEMBERS, (value) => (typeof value === 'boolean' ? value : undefined));
  return isReady === false ? true : undefined;
}
