/** Code units that are segmented at a time. A step of `Intl.Segmenter` takes as long as the string that it walks in. */
const WINDOW = 512;
/** Code units before the end of a window where a boundary may still depend on what follows it. */
const LOOKAHEAD = 64;

/**
 * The segments of a text, which are the text if put together, in time that grows with its length. The text is segmented
 * in windows that begin at a boundary; a segment that is longer than a window gets a larger one for itself.
 */
export function* segmentsOf(segmenter: Intl.Segmenter, text: string): Generator<Intl.SegmentData, void, undefined> {
  let from = 0;
  let size = WINDOW;
  while (from < text.length) {
    const isLast = from + size >= text.length;
    const decided = isLast ? size : size - LOOKAHEAD;
    let end = 0;
    for (const found of segmenter.segment(text.slice(from, from + size))) {
      if (end + found.segment.length > decided) break;
      end += found.segment.length;
      yield found;
      if (size > WINDOW) break;
    }
    from += end;
    size = end === 0 ? size * 2 : WINDOW;
  }
}
