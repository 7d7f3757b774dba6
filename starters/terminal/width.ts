import truncatedWidth from 'fast-string-truncated-width';

/** Terminal cells of a text: East Asian characters and emoji take two, combining marks none. */
export function widthOf(text: string): number {
  return truncatedWidth(text).width;
}

/** The longest beginning of a text that fits into this many cells. No character is cut in two. */
export function cutToWidth(text: string, cells: number): string {
  return text.slice(0, truncatedWidth(text, { limit: cells, ellipsis: '' }).index);
}
