import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Every page of the repository, from its root. */
export const PAGES: readonly string[] = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...['docs', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
];

/** Where a file of the repository lies. */
export function pathOf(file: string): string {
  return join(ROOT, file);
}

/** The text of a page. */
export function readPage(page: string): string {
  return readFileSync(pathOf(page), 'utf8');
}

/** The code of a page: fenced blocks, and what stands in backquotes. */
export function codeOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^```.*?^```|`[^`\n]+`/gms)].map(([text]) => text.replaceAll('`', ''));
}

/** The anchors that GitHub gives to the headings of a page. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of markdown.replace(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)) {
    const anchor = heading
      .replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    let same = 0;
    while (anchors.has(same === 0 ? anchor : `${anchor}-${same}`)) same += 1;
    anchors.add(same === 0 ? anchor : `${anchor}-${same}`);
  }
  return anchors;
}
