/** The first command of a page of the guide, and what it says there. */
export interface GuideOpening {
  readonly commands: string;
  readonly output: string;
}

/**
 * Reads how a page begins: a title, at most three lines that say what one wants, a block of commands, a block of what they print.
 * Throws if it begins otherwise.
 */
export function openingOf(page: string): GuideOpening {
  const opening =
    /^# .+\n\n(?:(?!```).+\n){1,3}\n```sh\n(?<commands>(?:(?!```).*\n)+)```\n\n```\n(?<output>(?:(?!```).*\n)+)```\n/.exec(
      page,
    )?.groups;
  if (opening === undefined) throw new Error(`The page begins otherwise:\n${page.slice(0, 400)}`);
  const { commands = '', output = '' } = opening;
  return { commands, output };
}

/**
 * What the commands may really print, if a page shows `output`. A `…` stands for any words, alone in a line for any
 * lines. Numbers, times, ids, and white space may be others; and the API may tell all prices, or not all of them.
 */
export function patternOf(output: string): RegExp {
  const lines = output.trimEnd().split('\n');
  const patterns = lines.map((line) => (line === '…' ? '(?:.*\\n)*?' : `${lineOf(line)} *\\n`));
  return new RegExp(`^(?:.*\\n)*?${patterns.join('')}`);
}

function lineOf(line: string): string {
  return line
    .trim()
    .split(VARYING)
    .map((part, at) => (at % 2 === 0 ? part.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`) : standInFor(part)))
    .join('')
    .replace(
      String.raw`about *\d[\d.,:]* *charged *\(some *prices *are *estimates\)`,
      String.raw`(?:about *)?\d[\d.,:]* *charged(?: *\(some *prices *are *estimates\))?`,
    )
    .replace(/^/, ' *');
}

/** A part of what is printed that may be another each time. */
const VARYING = /(…|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b|(?<![\da-z])[\da-f][\da-f-]{7,}\b|\d[\d.,:]*|\s+)/;

function standInFor(part: string): string {
  if (part === '…') return '.*';
  if (part.trim() === '') return ' *';
  if (/^\d[\d.,:]*$/.test(part)) return String.raw`\d[\d.,:]*`;
  return String.raw`\S+`;
}
