import type { RowSpec } from '../contract/row-kinds.ts';

/** Tells the links that a row sent from others. Its own fields (`api.…`) may hold links anywhere. */
export class SentLinks {
  readonly #texts: ReadonlySet<string>;
  readonly #places: ReadonlySet<string>;

  constructor({ video, audio, extra }: Pick<RowSpec, 'video' | 'audio' | 'extra'>) {
    this.#texts = new Set([video, audio, extra].flatMap(textsIn));
    this.#places = new Set([...this.#texts].flatMap((text) => placeOf(text) ?? []));
  }

  /** True for what was sent as it is, and for a link that leads where one leads that was sent. `link`: the text as a link. */
  isSent(text: string, link: string): boolean {
    return this.#texts.has(text) || this.#places.has(placeOf(link) ?? '');
  }

  /** True for a link that leads elsewhere than every link that was sent. A text that is no link leads nowhere. */
  isOther(link: string): boolean {
    const place = placeOf(link);
    return place !== undefined && this.#places.size > 0 && !this.#places.has(place);
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
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
