import truncatedWidth from 'fast-string-truncated-width';

/** Cells of a terminal that a text takes: East Asian characters and emoji take two, combining marks none. */
export function widthOf(text: string): number {
  return truncatedWidth(text).width;
}

/** The beginning of a text that fits into so many cells. No character is cut in two. */
export function cutToWidth(text: string, cells: number): string {
  return text.slice(0, truncatedWidth(text, { limit: cells, ellipsis: '' }).index);
}
