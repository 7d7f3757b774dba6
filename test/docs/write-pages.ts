/** `npm run docs`: writes what is made from the code: parts of the pages, and the JSON Schemas. A test fails while one is stale. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { GENERATED_PARTS, withPart } from './generated-parts.ts';
import { JSON_SCHEMAS, textOf } from './json-schemas.ts';
import { pathOf } from './pages.ts';
import { viewSchemas } from './view-schemas.ts';

for (const part of GENERATED_PARTS) {
  const path = pathOf(part.page);
  await writeFile(path, withPart(await readFile(path, 'utf8'), part));
}

await mkdir(pathOf('schemas/views'), { recursive: true });
for (const [file, schema] of Object.entries({ ...JSON_SCHEMAS, ...viewSchemas() }))
  await writeFile(pathOf(`schemas/${file}`), textOf(schema));
