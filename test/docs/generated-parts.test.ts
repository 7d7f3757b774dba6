import { describe, expect, it } from '@jest/globals';
import { GENERATED_PARTS, withPart } from './generated-parts.ts';
import { permissionOf, ROOMS } from './import-rules.ts';
import { readPage } from './pages.ts';
import { rowPicture } from './row-picture.ts';

describe('the parts of pages that are made from the code', () => {
  it.each(GENERATED_PARTS)('$name in $page is up to date (npm run docs writes it)', (part) => {
    const text = readPage(part.page);
    expect(text).toBe(withPart(text, part));
  });

  it('refuses a page without the marks', () => {
    const [part] = GENERATED_PARTS;
    expect(() => part && withPart('# A page\n', part)).toThrow('lacks <!-- commands');
  });
});

describe('what the import rules allow', () => {
  it('is read off the rules: all, single files, types only, nothing', () => {
    expect(permissionOf('worker', 'activities')).toBe('all');
    expect(permissionOf('activities', 'results')).toEqual({ files: ['subtitles'] });
    expect(permissionOf('client', 'activities')).toBe('types');
    expect(permissionOf('threads', 'contract')).toBeUndefined();
  });

  it('lets no room import itself out of the picture', () => {
    expect(ROOMS).toEqual(expect.arrayContaining(['contract', 'policy', 'ledger', 'starters']));
  });
});

it('the way of a row never leads from "unknown" back to a request', () => {
  const lines = rowPicture().split('\n');
  expect(lines.filter((line) => line.startsWith('  unknown -->'))).toEqual(['  unknown -->|"reconcile"| look']);
  expect(lines.filter((line) => / sending$/.test(line)).map((line) => line.trim().split(' ')[0])).toEqual([
    'start',
    'not-accepted',
    'revoked',
  ]);
});
