import type { NotedRead } from '../../api/noted-read.ts';
import type { DialectComparison } from '../../client/compare/compare-dialects.ts';
import { DIALECTS } from '../../contract/dialects.ts';

/** A comparison of dialects for machines; of pairs, the first is of the first of `dialects`. */
export function dialectJson({ verdict, surfaces }: DialectComparison, requests: readonly NotedRead[]): object {
  return {
    verdict,
    dialects: DIALECTS,
    surfaces: surfaces.map(({ surface, ...found }) =>
      found.type === 'unread'
        ? { surface, is: found.type, why: found.why }
        : {
            surface,
            is: found.type,
            items: found.items,
            only: found.only,
            fields_only: found.fields,
            differences: found.differences,
          },
    ),
    requests: requests.map(({ requestId, at, ...read }) => ({
      at: new Date(at).toISOString(),
      ...read,
      request_id: requestId,
    })),
  };
}
