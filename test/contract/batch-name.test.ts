import { expect, it } from '@jest/globals';
import { isBatchName, isUsableName, nameFromFile } from '../../contract/batch-name.ts';

it.each([
  ['lines.csv', 'lines'],
  ['/data/My lines.TSV', 'My lines'],
  ['lines.v2.jsonl', 'lines.v2'],
  ['lines', 'lines'],
  ['-', 'stdin'],
  ['Export – v3.csv', 'Export - v3'],
  ['.hidden..csv', 'hidden.'],
  ['हिन्दी.csv', 'हिन्दी'],
  ['(1).csv', '1-'],
  [`a${'𝒜'.repeat(150)}.csv`, `a${'𝒜'.repeat(49)}`],
  ['???.csv', 'batch'],
  [`${'𝒜'.repeat(150)}.csv`, '𝒜'.repeat(50)],
])('calls the batch of %s %s', (path, name) => {
  expect(nameFromFile(path)).toBe(name);
  expect(isBatchName(name)).toBe(true);
});

it.each([
  ['lines', true],
  ['Zeilen für März 3.1_b-c', true],
  ['你好', true],
  ['a'.repeat(100), true],
  ['a'.repeat(101), false],
  ['', false],
  ['.hidden', false],
  ['-x', false],
  ['a/b', false],
  ['a..b', false],
  ['a\nb', false],
])('%j can name a batch: %s', (name, can) => expect(isBatchName(name)).toBe(can));

it.each([
  ['lines', true],
  ['of an earlier version: odd', true],
  ['..', false],
  ['../x', false],
  ['/x', false],
  ['x\\y', false],
  ['', false],
  ['-x', false],
  ['--on-end=x', false],
  ['a\nb', false],
])('says whether %j is a name in its folder, and none that a command reads otherwise: %s', (name, isFolder) => {
  expect(isUsableName(name)).toBe(isFolder);
});
