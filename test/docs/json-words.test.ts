import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { FAILURES } from '../../contract/failures.ts';
import { pathOf, readPage } from './pages.ts';

/** The words of another standard. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Words that once stood for the same as another one, which is used alone. */
const REPLACED = {
  came: 'got',
  found: 'got',
  class: 'error_class',
  place: 'ledger, store',
  api_url: 'api',
  estimate: 'estimated',
  trouble: 'problem',
  on_the_wire: 'in_flight',
};

/** An object of a schema that has members. */
interface Members {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
}

const FILES = readdirSync(pathOf('schemas/views'));

/** Every object in a JSON value, the value itself included. */
function* objectsIn(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) yield value as Readonly<Record<string, unknown>>;
  for (const member of Object.values(value)) yield* objectsIn(member);
}

/** `found` is a number of results there. */
const isCount = (file: string, name: string): boolean => file.startsWith('ledger-compare-store.') && name === 'found';

describe.each(FILES)('the words of %s', (file) => {
  const objects = [...objectsIn(JSON.parse(readPage(`schemas/views/${file}`)))];
  const shapes = objects.filter((one) => 'properties' in one && 'required' in one) as unknown as readonly Members[];

  it('are snake_case as names, and kebab-case as values, but for classes of failures', () => {
    const names = shapes.flatMap(({ properties }) => Object.keys(properties));
    expect(names.filter((name) => !/^[a-z][a-z\d]*(?:_[a-z\d]+)*$/.test(name))).toEqual([]);
    const values = objects.flatMap(({ enum: some = [], const: one }) => [...(some as readonly unknown[]), one]);
    const words = values.filter((value): value is string => typeof value === 'string');
    const own = words.filter((word) => ![...Object.keys(FAILURES), ...METHODS].includes(word));
    expect(own.filter((word) => !/^[a-z\d]+(?:-[a-z\d]+)*$/.test(word))).toEqual([]);
  });

  it('are one for each thing: an exit comes with its code, a source is a request, and a folder is one of a backup or store', () => {
    const names = new Set(shapes.flatMap(({ properties }) => Object.keys(properties)));
    expect(Object.keys(REPLACED).filter((name) => !isCount(file, name) && names.has(name))).toEqual([]);
    expect(names.has('folder')).toBe(/^(?:backup|restore|ledger-compare-store)\./.test(file));
    for (const { properties } of shapes) {
      if ('source' in properties) expect(JSON.stringify(properties['source'])).toContain('"attempt"');
      if (!('exit' in properties)) continue;
      expect(Object.keys(properties)).toContain('exit_code');
      expect(Object.keys(properties)).not.toContain('code');
    }
  });
});
