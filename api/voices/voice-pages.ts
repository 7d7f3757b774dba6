import type { Voice } from '../speech-api.ts';

/**
 * Reads a paged list that may change while it is read, over a service of which nobody knows how it pages: by an offset,
 * by page numbers, by a page size of its own, or not at all.
 *
 * Each page is asked for by both, an offset and a number. The offset lies one back, so that a service that honours it
 * repeats the last voice of the page before: then nothing was skipped in between. Where that voice does not come first,
 * the service pages by numbers, or the list has moved, and a voice may have slipped from a page that was still to be read
 * to one that had been read. Then the pages are read again, backwards: what a removal hides from a reader that goes forwards, it shows
 * to one that goes backwards, and it is the other way round with an addition. That goes on until a reading brings nothing
 * new.
 */

/** A page of the list. */
export interface VoicePage {
  readonly voices: readonly Voice[];
  /** Entries without an id, which nobody can use. */
  readonly nameless: number;
  /** How many voices there are in all, in the service's own words. */
  readonly total: number | undefined;
  /** How many would fit on it, in the service's own words. */
  readonly pageSize: number | undefined;
}

/** Which page is wanted. */
export interface PagePlace {
  /** From 1. */
  readonly page: number;
  readonly offset: number;
}

/** Far more pages than an account can have: stops an endless list. */
const MOST_PAGES = 2_000;
/** A list that still changes then has given everything that stayed in it this often. */
const MOST_READINGS = 6;
/** No service has smaller pages. */
const SMALLEST_PAGE = 5;
/** Pages in a row without anything new, after which a list without an end is left. */
const MOST_STALE = 3;

/**
 * How a list ended. `isCut`: it has no end, or the service pages in no way and says that there is more; `total`: how many
 * it says.
 */
export interface ListEnd {
  readonly isCut: boolean;
  readonly total: number | undefined;
}

/** Every voice that stays in the list while it is read, exactly once. Throws what `read` throws. */
export async function* readVoicePages(
  read: (place: PagePlace) => Promise<VoicePage>,
): AsyncGenerator<Voice, ListEnd, undefined> {
  const seen = new Set<string>();
  const first = yield* readForwards(read, seen);
  const places = [...first.places];
  for (let readings = 1; !first.isSure && !first.isEndless && readings < MOST_READINGS; readings++) {
    const before = seen.size;
    for (const place of readings % 2 === 1 ? places.toReversed() : places) {
      yield* freshOf((await read(place)).voices, seen);
    }
    if (seen.size === before) break;
  }
  const { isEndless, isUnpaged, total, nameless } = first;
  return { isCut: isEndless || (isUnpaged && total !== undefined && total > seen.size + nameless), total };
}

interface Reading {
  readonly places: readonly PagePlace[];
  /** Nothing can have slipped through. */
  readonly isSure: boolean;
  /** Every page is the first one. */
  readonly isUnpaged: boolean;
  /** It was left in the middle. */
  readonly isEndless: boolean;
  readonly total: number | undefined;
  /** On the last page. */
  readonly nameless: number;
}

async function* readForwards(
  read: (place: PagePlace) => Promise<VoicePage>,
  seen: Set<string>,
): AsyncGenerator<Voice, Reading, undefined> {
  const places: PagePlace[] = [];
  let isSure = true;
  let stale = 0;
  let last: VoicePage | undefined;
  let offset = 0;
  const end = (isUnpaged = false): Reading => ({
    places,
    isSure: isUnpaged || isSure,
    isUnpaged: isUnpaged || stale >= MOST_STALE,
    isEndless: places.length >= MOST_PAGES,
    total: last?.total,
    nameless: last?.nameless ?? 0,
  });
  while (places.length < MOST_PAGES && stale < MOST_STALE) {
    const place = { page: places.length + 1, offset };
    const page = await read(place);
    const [head] = page.voices;
    if (head === undefined && page.nameless === 0) return end();
    if (last !== undefined && places.length === 1 && isSamePage(page, last)) return end(true);
    places.push(place);
    const isOverlapping = head !== undefined && head.id === last?.voices.at(-1)?.id;
    if (last !== undefined && !isOverlapping) isSure = false;
    const before = seen.size;
    yield* freshOf(page.voices, seen);
    stale = seen.size > before ? 0 : stale + 1;
    // One alone is the repeated last voice of the page before.
    if (isOverlapping && page.voices.length === 1) return end();
    if (last === undefined && isWhole(page)) return end();
    // A page of one has no voice to spare for the overlap.
    offset += Math.max(1, page.voices.length + page.nameless - 1);
    last = page;
  }
  return end();
}

function* freshOf(voices: readonly Voice[], seen: Set<string>): Generator<Voice, void, undefined> {
  for (const voice of voices) {
    if (seen.has(voice.id)) continue;
    seen.add(voice.id);
    yield voice;
  }
}

/** The service's own figures agree that all of the list is on the first page. A total alone may be that of the page. */
function isWhole({ voices, total, pageSize = 0 }: VoicePage): boolean {
  return total !== undefined && total <= voices.length && voices.length < Math.max(pageSize, SMALLEST_PAGE);
}

function isSamePage(one: VoicePage, other: VoicePage): boolean {
  return one.voices.length === other.voices.length && one.voices.every(({ id }, at) => id === other.voices[at]?.id);
}
