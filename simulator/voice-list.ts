import type { Draw } from './draw.ts';
import type { FixedShape, Variant } from './shapes.ts';
import type { StoredVoice } from './voices.ts';

/** A service's paging of voices, constant during a run. */
export interface ListHabits {
  readonly paging: Variant<'voices.paging'>;
  readonly size: Variant<'voices.size'>;
  readonly total: Variant<'voices.total'>;
  readonly filter: Variant<'voices.filter'>;
}

/**
 * Draws the habits of a run. A service without paging is never drawn, only selected explicitly, because it shows only
 * its first page.
 */
export function drawHabits(draw: Draw, fixed: FixedShape): ListHabits {
  return {
    paging: fixed['voices.paging'] ?? (draw.coin() ? 'offset' : 'page'),
    size: draw.shape('voices.size'),
    total: draw.shape('voices.total'),
    filter: draw.shape('voices.filter'),
  };
}

/** The page requested: clients use `limit` with `offset`, and `page` with `pageSize`. */
export interface PageQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
}

/** Page sizes of a service that ignores the requested one. */
const OWN_SIZE = { small: 20, large: 250 } as const;
/** Default page size. */
const USUAL_SIZE = 20;
/** Excess of a total that is too high. */
const TOO_MANY = 13;

/** A page of voices as this service returns it. */
export interface VoiceListPage {
  readonly items: readonly StoredVoice[];
  readonly page: number;
  readonly pageSize: number;
  /** Undefined if the answer has none. */
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
