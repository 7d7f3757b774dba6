/**
 * A text without any of these characters at its end. It takes linear time for every text, as an expression such as
 * `/[/]+$/` does not.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
