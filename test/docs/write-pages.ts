/** `npm run docs`: writes the parts of the pages that are made from the code. A test fails while one is stale. */
import { readFile, writeFile } from 'node:fs/promises';
import { GENERATED_PARTS, withPart } from './generated-parts.ts';
import { pathOf } from './pages.ts';

for (const part of GENERATED_PARTS) {
  const path = pathOf(part.page);
  await writeFile(path, withPart(await readFile(path, 'utf8'), part));
}
