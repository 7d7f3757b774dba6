import { asText, firstOf, type JsonObject } from '../read-members.ts';

/** Members in which a service may say how far a voice is. None is documented. */
const STATUS_MEMBERS = ['status', 'state', 'trainingStatus', 'training_status', 'trainingState', 'training_state'];
/** Members that say it as a truth value. */
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
