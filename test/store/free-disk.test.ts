import { expect, it } from '@jest/globals';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeDisk } from '../../store/open-store.ts';

it('tells what is free where a folder is, or will be', async () => {
  expect(await freeDisk(tmpdir())).toBeGreaterThan(0);
  expect(await freeDisk(join(tmpdir(), 'not', 'yet', 'there'))).toBeGreaterThan(0);
});
