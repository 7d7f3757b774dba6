import { expect, it } from '@jest/globals';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limitLog } from '../../embedded/join-server.ts';

it('cuts a long log off while its writer goes on, and keeps one older part', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voxbatch-log-'));
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
  rmSync(folder, { recursive: true });
});
