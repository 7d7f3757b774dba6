/** @slow */
import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { textOf } from './json-schemas.ts';
import { pathOf } from './pages.ts';

it('the JSON Schemas of what --json prints are made from client/views.ts (if not: npm run docs)', () => {
  const files = readdirSync(pathOf('schemas/views')).map((file) => `views/${file}`);
  const published = files.map((file) => [file, readFileSync(pathOf(`schemas/${file}`), 'utf8')]);
  const maker = ['--import', pathOf('test/chaos/run-typescript.mjs'), pathOf('test/docs/view-schemas.ts')];
  const schemas = JSON.parse(execFileSync(process.execPath, maker, { encoding: 'utf8' })) as Record<string, object>;
  const made = Object.entries(schemas).map(([file, schema]) => [file, textOf(schema)]);
  expect(Object.fromEntries(published)).toEqual(Object.fromEntries(made));
});
