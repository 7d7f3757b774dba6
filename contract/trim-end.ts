/**
 * Strips trailing characters from a text. `characters`: those to strip. Takes linear time for every text, unlike a
 * regular expression such as `/[/]+$/`.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
