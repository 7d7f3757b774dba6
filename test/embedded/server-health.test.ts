import { expect, it } from '@jest/globals';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { limitLog } from '../../embedded/server-health.ts';
import { freshFolder } from '../support/fresh-folder.ts';

it('cuts a long log off while its writer goes on, and keeps one older part', () => {
  const folder = freshFolder();
  const file = join(folder, 'temporal.log');
  const writer = openSync(file, 'a');
  limitLog(join(folder, 'missing'), 10);
  writeSync(writer, '0123456789');
  limitLog(file, 10);
  expect(readFileSync(file, 'utf8')).toBe('0123456789');
  writeSync(writer, 'x');
  limitLog(file, 10);
  writeSync(writer, 'next');
  expect(readFileSync(file, 'utf8')).toBe('next');
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('0123456789x');
  closeSync(writer);
});
