import { classifyDownload } from './classify.ts';
import type { Connection } from './connection.ts';
import { causeOf, type FailureContext } from './describe-failure.ts';
import { describeTrouble, isLocalTrouble } from './local-trouble.ts';
import { openMedia, readAnswer } from './read-answer.ts';
import { ApiError, type Receive } from './speech-api.ts';

/**
 * Fetches a result link and hands its body to `receive`. The token goes along only to the API's own origin.
 *
 * @throws ApiError `ResultGone` for a link that is dead, is none, or gives something else than the whole file; also
 * where `receive` finds the body unfit. `NotSent`, `RateLimited`, `ServiceDown` where a later try may work.
 * An error of this machine that `receive` throws (a full disk) comes through as it is.
 */
export async function download<T>(
  connection: Connection,
  link: string,
  receive: Receive<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const url = readLink(link, connection.baseUrl);
  const context: FailureContext = {
    redact: connection.redact,
    asked: `GET of the result from ${url?.host ?? 'nowhere'}`,
    from: url?.host ?? 'nowhere',
    privateTexts: [link],
  };
  const gone = (words: string, cause: string): ApiError =>
    new ApiError({
      class: 'ResultGone',
      message: connection.redact(`${context.asked} – ${words}`, context),
      cause: causeOf(cause, context),
    });
  if (url === undefined) throw gone('the link of the result is not an http(s) URL', 'no http(s) link');

  const head = await connection.open(url, signal);
  if (head.kind === 'no-answer') throw new ApiError(classifyDownload(head, context));
  // A part of the file (206) is no file; other successes have no body.
  const media = head.status === 200 ? await openMedia(head) : undefined;
  if (media === undefined) {
    const { cut } = head.body;
    if (head.status === 200 && cut !== undefined) throw gone(cut.message, 'a cut file');
    throw new ApiError(classifyDownload(await readAnswer(head, connection.maxBodyBytes), context));
  }

  try {
    const received = await receive(media, head.info);
    if (head.body.cut !== undefined) throw head.body.cut;
    return received;
  } catch (error) {
    if (isLocalTrouble(error)) throw error;
    const broken = head.body.cut;
    throw gone(describeTrouble(broken ?? error), broken === undefined ? 'a file that is not the media' : 'a cut file');
  } finally {
    head.body.destroy();
  }
}

/** An http(s) URL without credentials in it; a relative link means the API's own host. */
function readLink(link: string, baseUrl: string): URL | undefined {
  try {
    const url = new URL(link, `${baseUrl}/`);
    const isHttp = url.protocol === 'https:' || url.protocol === 'http:';
    return isHttp && url.username === '' && url.password === '' ? url : undefined;
  } catch {
    return undefined;
  }
}
