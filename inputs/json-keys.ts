/**
 * The first key that occurs twice at the top level of a JSON object, if any. `JSON.parse` keeps the last value silently.
 * The text must be valid JSON.
 */
export function findDuplicateKey(json: string): string | undefined {
  const seen = new Set<string>();
  let depth = 0;
  const token = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g;
  for (const [text, colon] of json.matchAll(token)) {
    if (text === '{' || text === '[') depth++;
    else if (text === '}' || text === ']') depth--;
    else if (colon !== undefined && depth === 1) {
      const key = String(JSON.parse(text.slice(0, text.length - colon.length)));
      if (seen.has(key)) return key;
      seen.add(key);
    }
  }
  return undefined;
}
