import type { Draw } from './draw.ts';
import type { FixedShape, Variant } from './shapes.ts';
import type { StoredVoice } from './voices.ts';

/** How a service pages its voices: the same for all pages of a run, however it is drawn. */
export interface ListHabits {
  readonly paging: Variant<'voices.paging'>;
  readonly size: Variant<'voices.size'>;
  readonly total: Variant<'voices.total'>;
  readonly filter: Variant<'voices.filter'>;
}

/** Draws the habits of a run. A service without pages comes only where it is asked for: it shows no more than its first page. */
export function drawHabits(draw: Draw, fixed: FixedShape): ListHabits {
  return {
    paging: fixed['voices.paging'] ?? (draw.coin() ? 'offset' : 'page'),
    size: draw.shape('voices.size'),
    total: draw.shape('voices.total'),
    filter: draw.shape('voices.filter'),
  };
}

/** What a page is asked for by: clients use both `limit` and `offset`, and `page` and `pageSize`. */
export interface PageQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
}

/** Page sizes of a service that has its own. */
const OWN_SIZE = { small: 20, large: 250 } as const;
/** Voices on a page if nobody says. */
const USUAL_SIZE = 20;
/** How much a total that is too high is off. */
const TOO_MANY = 13;

/** A page of the voices as this service gives it. */
export interface VoiceListPage {
  readonly items: readonly StoredVoice[];
  readonly page: number;
  readonly pageSize: number;
  /** Undefined: the answer has none. */
  readonly total: number | undefined;
}

/** Cuts a page out of the voices. */
export function pageOf(voices: readonly StoredVoice[], query: PageQuery, habits: ListHabits): VoiceListPage {
  const pageSize = habits.size === 'asked' ? (query.limit ?? query.pageSize ?? USUAL_SIZE) : OWN_SIZE[habits.size];
  const byPage = ((query.page ?? 1) - 1) * pageSize;
  const start = { offset: query.offset ?? byPage, page: byPage, none: 0 }[habits.paging];
  const items = voices.slice(start, start + pageSize);
  const total = { true: voices.length, missing: undefined, page: items.length, more: voices.length + TOO_MANY }[
    habits.total
  ];
  return { items, page: Math.floor(start / pageSize) + 1, pageSize, total };
}
