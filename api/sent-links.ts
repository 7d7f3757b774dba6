import type { RowSpec } from '../contract/row-kinds.ts';

/** Tells the links that a row sent from others. */
export class SentLinks {
  readonly #places: ReadonlySet<string>;

  constructor({ video, audio, extra }: Pick<RowSpec, 'video' | 'audio' | 'extra'>) {
    const links = [video, audio, ...Object.values(extra)].flatMap((value) => (typeof value === 'string' ? value : []));
    this.#places = new Set(links.flatMap((link) => placeOf(link) ?? []));
  }

  /** True for a link that leads elsewhere than every link that was sent. A text that is no link leads nowhere. */
  isOther(link: string): boolean {
    const place = placeOf(link);
    return place !== undefined && this.#places.size > 0 && !this.#places.has(place);
  }
}

/**
 * Host and path of a link; undefined if it is no http(s) link. The query is left out: a service may sign an input's link anew. So are
 * the scheme and the spelling of the path, which servers change on the way.
 */
function placeOf(link: string): string | undefined {
  if (!URL.canParse(link)) return undefined;
  const { protocol, host, pathname } = new URL(link);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  return host + decoded(pathname.endsWith('/') ? pathname.slice(0, -1) : pathname);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
