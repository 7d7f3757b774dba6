import type { RowSpec, Step } from '../../contract/row-kinds.ts';
import { mediaOf, resultKeyOf } from './result-key.ts';

/**
 * Whether two rows ask the API for the same by a step, so that it may make one job of both requests. Everything that shapes
 * the request counts, media by their URLs. By which paths of the API it is asked for does not count, nor a check of what
 * comes before.
 */
export function asksForSame(step: Step, one: RowSpec, other: RowSpec): boolean {
  const asked = requestOf(step, one);
  return asked !== undefined && asked === requestOf(step, other);
}

function requestOf(step: Step, { dialect: _dialect, verify: _verify, ...asked }: RowSpec): string | undefined {
  return resultKeyOf(asked, step, {
    realm: { apiUrl: '', account: '' },
    tts: 'job',
    media: new Map(mediaOf(asked).map((url) => [url, ANY_CONTENT])),
    digest: (text) => text,
  });
}

/** The content behind a URL is the same for both. */
const ANY_CONTENT = { etag: '', bytes: 0 };
