import { messageOf } from '../contract/message-of.ts';
import type { AnswerFacts, Receive, Transcript } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import { defined } from '../contract/defined.ts';
import { RESULT_FACTS } from '../contract/operations.ts';
import { factsOf } from '../contract/row-kinds.ts';
import { toSrt, toVtt } from '../results/subtitles.ts';
import { jobStemOf, stemOf } from '../store/layout.ts';
import type { JobKey } from '../ledger/requests/job-end.ts';
import type { Persist, Store, StoredFile } from '../store/store.ts';
import type { LoadedAttempt } from './attempt.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Returns a function that streams a result body to the store: complete, checked and synced, or not at all. `jobId`: the
 * job whose result it is; undefined if it comes in the answer to a paid request. `persist`: makes each write, and
 * retries it if need be.
 */
export function receiveMedia(
  deps: Pick<Dependencies, 'store' | 'atFaultPoint'>,
  { batch, row, operation }: Pick<LoadedAttempt, 'batch' | 'row' | 'operation'>,
  { jobId, ...key }: JobKey,
  persist?: Persist,
): Receive<StoredFile> {
  return async (body, { contentLength, contentType }) => {
    const { family } = RESULT_FACTS[factsOf(operation).result];
    if (family !== 'audio' && family !== 'video') throw new Error(`${operation} has no media to receive.`);
    const expectation = {
      family,
      contentType,
      ...defined({ format: row.spec.format, contentLength }),
    };
    const stem = jobId === undefined ? stemOf(batch.layout, key) : jobStemOf(batch.layout, key, jobId);
    return deps.store.write(stem, body, expectation, () => deps.atFaultPoint('before-rename'), persist);
  };
}

/**
 * Stores a transcript as `.txt`, and as `.srt` and `.vtt` if its segments carry times. The text comes last: if it
 * exists, all files do.
 */
export async function storeTranscript(
  store: Store,
  stem: string,
  transcript: Transcript,
): Promise<{ readonly file: StoredFile; readonly extraFiles: readonly StoredFile[] }> {
  const write = (text: string, extension: string): Promise<StoredFile> =>
    store.write(stem, Buffer.from(text), { family: 'text', extension });
  const extraFiles: StoredFile[] = [];
  if (transcript.segments.length > 0) {
    extraFiles.push(await write(toSrt(transcript.segments), 'srt'), await write(toVtt(transcript.segments), 'vtt'));
  }
  return { file: await storeText(store, stem, transcript.text), extraFiles };
}

/** Stores the text of a transcript as `.txt`. `stem`: the path without extension. */
export function storeText(store: Store, stem: string, text: string): Promise<StoredFile> {
  return store.write(stem, Buffer.from(`${text}\n`), { family: 'text', extension: 'txt' });
}

/**
 * Records the price in an answer before the result is stored. If the worker dies before the verdict, reconcile finds
 * the result in the store and the price in this record. Never rejects: the verdict has the price too.
 */
export async function notePrice(
  deps: Pick<Dependencies, 'ledger' | 'observe'>,
  key: AttemptKey,
  { credits, requestId }: AnswerFacts,
): Promise<void> {
  if (credits === undefined) return;
  try {
    await deps.ledger.notePrice(key, { credits, ...defined({ requestId }) });
  } catch (error) {
    const facts = { credits };
    deps.observe({ type: 'note', what: 'price-unrecorded', ...key, error: messageOf(error), facts });
  }
}
