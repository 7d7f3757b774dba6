import { setTimeout as sleep } from 'node:timers/promises';
import { privateTextsOf } from '../contract/row-kinds.ts';
import { classifyLostMedia, classifyPaid, type PaidContext } from './classify.ts';
import type { Connection } from './connection.ts';
import { describeError, isLocalError } from './local-errors.ts';
import { download } from './download.ts';
import type { AnswerHead } from './http.ts';
import { openForm, type UploadBody } from './multipart.ts';
import { clientIn, unsupported } from './dialects/dialect-table.ts';
import type { OperationClient } from './operations/operation-client.ts';
import { openMedia, readAnswer } from './read-answer.ts';
import { readFacts } from './describe-failure.ts';
import { ApiError, type MediaBody, type OpenFile, type PaidRequest, type Receive, type Verdict } from './speech-api.ts';

/** Pauses before each retry of fetching a paid result from its link, ms. */
const RETRY_PAUSES_MS = [250, 1_000, 4_000] as const;

/** Max time to open a request's files, in ms. A slower request is not sent, because its intent would be too old. */
const MAX_OPEN_MS = 2_000;

/** Options of a paid request besides its content. */
export interface SendOptions<T> {
  readonly receive?: Receive<T>;
  readonly openFile?: OpenFile;
  readonly signal?: AbortSignal;
}

/** Sends one paid request once, and reports what is known afterwards. Never throws. */
export async function sendPaid<T>(
  connection: Connection,
  request: PaidRequest,
  options: SendOptions<T>,
): Promise<Verdict<T>> {
  const operation: OperationClient | null = clientIn(connection.dialect, request.operation);
  if (operation === null) {
    return { verdict: 'rejected', failure: unsupported(connection.dialect, request.operation) };
  }
  const context: PaidContext = {
    operation,
    has402: connection.dialect.has402,
    trust503: request.trust503,
    isRepeat: request.isRepeat,
    redact: connection.redact,
    asked: `POST ${operation.path}`,
    from: `POST ${operation.path}`,
    privateTexts: privateTextsOf(request.spec),
  };
  let body: string | UploadBody;
  const begunAt = performance.now();
  try {
    if (operation.answersMedia && options.receive === undefined) throw new Error('there is no place for its result');
    body = await bodyOf(operation, request, options.openFile);
  } catch (error) {
    return notMade(error, connection, context);
  }
  if (typeof body !== 'string' && performance.now() - begunAt > MAX_OPEN_MS) {
    await body.close();
    const message = `${context.asked} was not sent – reading its files took too long`;
    return { verdict: 'not-accepted', failure: { class: 'NotSent', message } };
  }

  const { path, answersMedia } = operation;
  const { idempotencyKey } = request;
  const head = await connection
    .post(path, body, { idempotencyKey, media: answersMedia, signal: options.signal })
    .finally(() => (typeof body === 'string' ? undefined : body.close()));
  const { receive } = options;
  if (head.type === 'answer' && receive !== undefined && mayBeMedia(operation, head)) {
    const media = await openMedia(head, true);
    if (media !== undefined) return receiveAnswer(head, media, receive, context);
  }
  const what = head.type === 'no-answer' ? head : await readAnswer(head, connection.maxBodyBytes);
  const ruling = classifyPaid(what, context);
  if (ruling.verdict !== 'link') return ruling;
  try {
    if (receive === undefined) throw new Error('there is no place for it');
    const withFacts: Receive<T> = (content, info) => receive(content, { ...info, ...ruling.facts });
    const media = await fetchWithRetries(
      () => download(connection, ruling.url, withFacts, options.signal),
      options.signal,
    );
    return { verdict: 'done', media, ...ruling.facts };
  } catch (error) {
    return { verdict: 'unknown', failure: classifyLostMedia(describeError(error), context) };
  }
}

/** Returns the verdict on a request that could not be built: temporary for a local error (too many open files). */
function notMade(error: unknown, { redact }: Connection, context: PaidContext): Verdict<never> {
  const isPassing = isLocalError(error);
  const words = describeError(error, 'read a file for it');
  const message = redact(`${context.asked} was not sent – ${words}`, context);
  return isPassing
    ? { verdict: 'not-accepted', failure: { class: 'NotSent', message, cause: 'a file that cannot be read now' } }
    : { verdict: 'rejected', failure: { class: 'BadRequest', message } };
}

/** Builds the JSON text of a request, or a multipart form if it uploads files. Throws if it cannot be built. */
async function bodyOf(
  operation: OperationClient,
  request: PaidRequest,
  open: OpenFile | undefined,
): Promise<string | UploadBody> {
  const { upload } = operation;
  if (upload === undefined) return JSON.stringify(operation.body(request));
  if (open === undefined) throw new Error('nobody can open its files');
  return openForm(operation.body(request), { part: upload.part, files: upload.files(request), open });
}

/**
 * Retries the download of a result that only this link leads to: the link is not recorded, so giving up would lose a
 * paid result. A dead or wrong link is tried once more, because the file may appear a moment later.
 */
async function fetchWithRetries<T>(fetchOnce: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await fetchOnce();
    } catch (error) {
      const pause = RETRY_PAUSES_MS[tries];
      const isOver = !(error instanceof ApiError) || (error.failure.class === 'ResultGone' && tries > 0);
      if (isOver || pause === undefined || signal?.aborted === true) throw error;
      await sleep(pause, undefined, { signal });
    }
  }
}

function mayBeMedia(operation: OperationClient, head: AnswerHead): boolean {
  return operation.answersMedia && head.status >= 200 && head.status < 300;
}

/** Stores an answer that is the media. If it cannot be stored, the verdict is `unknown`: it was most likely charged. */
async function receiveAnswer<T>(
  head: AnswerHead,
  body: MediaBody,
  receive: Receive<T>,
  context: PaidContext,
): Promise<Verdict<T>> {
  const facts = readFacts({ header: (name) => head.header(name), json: undefined }, context);
  try {
    const media = await receive(body, { ...head.info, ...facts });
    if (head.body.cut !== undefined) throw head.body.cut;
    return { verdict: 'done', media, ...facts };
  } catch (error) {
    // A cut is the cause even if the receiver reports its own error about it, unless the disk failed first.
    const cause = isLocalError(error) ? error : (head.body.cut ?? error);
    return { verdict: 'unknown', failure: classifyLostMedia(describeError(cause), context) };
  } finally {
    head.body.destroy();
  }
}
