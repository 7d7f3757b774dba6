import { classifyDownload } from './classify.ts';
import type { Connection } from './connection.ts';
import { causeOf, type FailureContext } from './describe-failure.ts';
import { describeError, isLocalError } from './local-errors.ts';
import { followRedirects, readLink } from './follow-redirects.ts';
import { openMedia, readAnswer } from './read-answer.ts';
import { ApiError, type Receive } from './speech-api.ts';

/**
 * Fetches a result link, following it as {@link openLink} does, and passes its body to `receive`.
 *
 * @throws ApiError `ResultGone` if the link is dead, malformed, leads where it may not, or does not return the whole
 * file; also if `receive` finds the body unfit. `NotSent`, `RateLimited`, `ServiceDown` if a later try may work. An
 * error of this machine that `receive` throws (a full disk) is passed through.
 */
export async function download<T>(
  connection: Connection,
  link: string,
  receive: Receive<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const url = readLink(link, `${connection.baseUrl}/`);
  const opened = url === undefined ? undefined : await openLink(connection, url, signal);
  const hosts = (opened?.hops ?? []).map(({ host }) => host);
  const context: FailureContext = {
    redact: connection.redact,
    asked: `GET of the result from ${hosts.length === 0 ? 'nowhere' : [...new Set(hosts)].join(', redirected to ')}`,
    from: hosts.at(-1) ?? 'nowhere',
    privateTexts: [link, ...(opened?.hops ?? []).map(({ href }) => href)],
  };
  const gone = (words: string, cause: string): ApiError =>
    new ApiError({
      class: 'ResultGone',
      message: connection.redact(`${context.asked} – ${words}`, context),
      cause: causeOf(cause, context),
    });
  if (opened === undefined) throw gone('the link of the result is not an http(s) URL', 'no http(s) link');

  const { head } = opened;
  if (head.type === 'dead') throw gone(head.why, head.cause);
  if (head.type === 'no-answer') throw new ApiError(classifyDownload(head, context));
  // A part of the file (206) is not the file; other success codes have no body.
  const media = head.status === 200 ? await openMedia(head, false) : undefined;
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
    if (isLocalError(error)) throw error;
    const broken = head.body.cut;
    throw gone(describeError(broken ?? error), broken === undefined ? 'a file that is not the media' : 'a cut file');
  } finally {
    head.body.destroy();
  }
}

/**
 * Opens a result link and follows its redirects. A link and its redirects come from outside, so private addresses are
 * allowed only if the API is in a private network too. The token goes to the API's own origin only, and never again
 * once a redirect has left it.
 */
async function openLink(
  connection: Connection,
  link: URL,
  signal: AbortSignal | undefined,
): ReturnType<typeof followRedirects> {
  let isOwn = true;
  return followRedirects(link, {
    network: connection.network,
    mayBePrivate: await connection.isPrivate(),
    own: connection.origin,
    from: 'a link from outside',
    open: (url, mayBePrivate) => {
      isOwn &&= url.origin === connection.origin;
      return connection.open(url, { isOwn, mayBePrivate, signal });
    },
  });
}
