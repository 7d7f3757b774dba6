import { endOfString } from '../contract/exact-json.ts';

/** Properties of a JSON text that `JSON.parse` does not report. */
interface JsonSurvey {
  /** How deep its objects and lists are nested; 0 for neither. */
  readonly depth: number;
  /** The first key that occurs twice at the top level of an object, if any: `JSON.parse` keeps the last value. */
  readonly twice: string | undefined;
}

/** Max nesting depth, beyond any real use. Recursive code overflows the stack some thousands of levels deep. */
const DEEPEST = 100;

/** The expectation to report if {@link isTooDeep}. */
export const TOO_DEEP = `objects and lists nested at most ${String(DEEPEST)} deep`;

/** Whether the objects and lists of a JSON text are nested deeper than anybody needs. Its strings may have any length. */
export function isTooDeep({ depth }: Pick<JsonSurvey, 'depth'>): boolean {
  return depth > DEEPEST;
}

/** Surveys a text, which must be valid JSON. */
export function surveyJson(json: string): JsonSurvey {
  const seen = new Set<string>();
  let twice: string | undefined;
  let [depth, deepest] = [0, 0];
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '{' || character === '[') deepest = Math.max(deepest, (depth += 1));
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === '"') {
      const end = endOfString(json, at);
      if (depth === 1 && isBeforeColon(json, end)) {
        const key = String(JSON.parse(json.slice(at, end)));
        if (seen.has(key)) twice ??= key;
        seen.add(key);
      }
      at = end - 1;
    }
  }
  return { depth: deepest, twice };
}

function isBeforeColon(json: string, from: number): boolean {
  let at = from;
  while (' \t\n\r'.includes(json[at] ?? 'x')) at += 1;
  return json[at] === ':';
}
