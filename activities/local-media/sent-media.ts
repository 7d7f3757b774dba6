import { defined } from '../../contract/defined.ts';
import { messageOf } from '../../contract/message-of.ts';
import { linkLifetimeMs, nameOfContent } from '../../contract/local-media.ts';
import type { Failure } from '../../contract/failures.ts';
import { columnsReadBy, type LocalFile, type MediaColumn, type RowSpec, type Step } from '../../contract/row-kinds.ts';
import { MediaChanged } from '../../store/local-media/media-links.ts';
import type { Dependencies } from '../dependencies.ts';

/** The request cannot be made. */
interface FailedMedia {
  readonly type: 'failed';
  readonly verdict: 'rejected' | 'not-accepted';
  readonly failure: Failure;
}

/** The local media of a request, which the service can fetch once they have links. */
export type PreparedMedia =
  { readonly type: 'ready'; readonly files: readonly (readonly [MediaColumn, LocalFile])[] } | FailedMedia;

/** The links that a request sends in place of its local media. */
export type SentMedia = LinkedMedia | FailedMedia;

/** Links by which the service can fetch the local media of a request, by the column that names them. */
export interface LinkedMedia {
  readonly type: 'linked';
  readonly links: Readonly<Partial<Record<MediaColumn, string>>>;
}

const NONE: PreparedMedia = { type: 'ready', files: [] };

/**
 * Makes sure that the service can fetch the local media that a step sends, and that they are what its row was checked
 * with. May take long for large files, so it comes before any limit is occupied. Rejects only if the signal aborts.
 */
export async function prepareMedia(
  deps: Pick<Dependencies, 'mediaLinks'>,
  { spec }: { readonly spec: RowSpec },
  step: Step,
  signal: AbortSignal,
): Promise<PreparedMedia> {
  const { local } = spec;
  if (local === undefined) return NONE;
  const read: readonly string[] = columnsReadBy(spec.kind, step);
  const files = (Object.entries(local) as [MediaColumn, LocalFile][]).filter(([column]) => read.includes(column));
  if (files.length === 0) return NONE;
  const { mediaLinks } = deps;
  if (mediaLinks === undefined) return failed('rejected', NO_LINKS);
  try {
    for (const [, file] of files) await mediaLinks.prepare(named(file), signal);
    return { type: 'ready', files };
  } catch (error) {
    signal.throwIfAborted();
    return failed(error instanceof MediaChanged ? 'rejected' : 'not-accepted', notSent(error));
  }
}

const NO_LINKS =
  'The request was not sent – this worker hands out no links to local files. Start it with --serve-media HOST:PORT, or keep media in a bucket.';

function notSent(error: unknown): string {
  return `The request was not sent – ${messageOf(error)}.`;
}

function failed(verdict: FailedMedia['verdict'], message: string): FailedMedia {
  const isFinal = verdict === 'rejected';
  const failure: Failure = { class: isFinal ? 'BadRequest' : 'NotSent', message };
  return { type: 'failed', verdict, failure: { ...failure, ...defined({ cause: isFinal ? undefined : CAUSE }) } };
}

const CAUSE = 'a local file that cannot be handed out now';

/**
 * Makes a new link to each local file, good for as long as its job may take. May take long where a signature needs
 * credentials from elsewhere, so it comes before the request's intent. Rejects only if the signal aborts.
 */
export async function linkMedia(
  { mediaLinks }: Pick<Dependencies, 'mediaLinks'>,
  media: PreparedMedia,
  limits: { readonly jobDeadlineMs: number },
  signal: AbortSignal,
): Promise<SentMedia> {
  if (media.type === 'failed') return media;
  if (mediaLinks === undefined || media.files.length === 0) return { type: 'linked', links: {} };
  signal.throwIfAborted();
  try {
    const links = media.files.map(
      async ([column, file]) => [column, await mediaLinks.linkTo(named(file), linkLifetimeMs(limits))] as const,
    );
    return { type: 'linked', links: Object.fromEntries(await unlessAborted(Promise.all(links), signal)) };
  } catch (error) {
    signal.throwIfAborted();
    return failed('not-accepted', notSent(error));
  }
}

/** Waits for the work, but rejects once the signal aborts: a source of credentials may not answer for long. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort);
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}

function named(file: LocalFile): LocalFile & { readonly name: string } {
  return { ...file, name: nameOfContent(file) };
}
