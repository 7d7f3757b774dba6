import { defined } from '../../contract/defined.ts';
import { messageOf } from '../../contract/message-of.ts';
import { nameOfContent } from '../../contract/local-media.ts';
import type { Failure } from '../../contract/failures.ts';
import { columnsReadBy, type LocalFile, type MediaColumn, type RowSpec, type Step } from '../../contract/row-kinds.ts';
import { MediaChanged, type MediaLinks } from '../../store/local-media/media-links.ts';
import type { Dependencies } from '../dependencies.ts';

/** Links live this much longer than a job may take, ms: clocks differ, and a download takes its time. */
const MARGIN_MS = 3_600_000;

/** The local media of a request, as far as they are known before it is sent. */
export type SentMedia =
  | { readonly type: 'ready'; readonly files: readonly (readonly [MediaColumn, LocalFile])[] }
  /** The request cannot be made. */
  | { readonly type: 'failed'; readonly verdict: 'rejected' | 'not-accepted'; readonly failure: Failure };

const NONE: SentMedia = { type: 'ready', files: [] };

/**
 * Makes sure that the service can fetch the local media that a step sends, and that they are what its row was checked
 * with. May take long for large files, so it comes before any limit is occupied. Rejects only if the signal aborts.
 */
export async function prepareMedia(
  deps: Pick<Dependencies, 'mediaLinks'>,
  { spec }: { readonly spec: RowSpec },
  step: Step,
  signal: AbortSignal,
): Promise<SentMedia> {
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
    const verdict = error instanceof MediaChanged ? 'rejected' : 'not-accepted';
    return failed(verdict, `The request was not sent – ${messageOf(error)}.`);
  }
}

const NO_LINKS =
  'The request was not sent – this worker hands out no links to local files. Start it with --serve-media HOST:PORT, or keep media in a bucket.';

function failed(verdict: 'rejected' | 'not-accepted', message: string): SentMedia {
  const isFinal = verdict === 'rejected';
  const failure: Failure = { class: isFinal ? 'BadRequest' : 'NotSent', message };
  return { type: 'failed', verdict, failure: { ...failure, ...defined({ cause: isFinal ? undefined : CAUSE }) } };
}

const CAUSE = 'a local file that cannot be handed out now';

/** The row's input with a new link in place of each local file, good for as long as its job may take. */
export async function withMediaLinks(
  mediaLinks: MediaLinks | undefined,
  spec: RowSpec,
  files: readonly (readonly [MediaColumn, LocalFile])[],
  jobMs: number,
): Promise<RowSpec> {
  if (mediaLinks === undefined || files.length === 0) return spec;
  const links = await Promise.all(
    files.map(async ([column, file]) => [column, await mediaLinks.linkTo(named(file), jobMs + MARGIN_MS)] as const),
  );
  return { ...spec, ...Object.fromEntries(links) };
}

function named(file: LocalFile): LocalFile & { readonly name: string } {
  return { ...file, name: nameOfContent(file) };
}
