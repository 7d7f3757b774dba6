import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { OWN_VARIABLES } from '../../../contract/environment.ts';
import { refuseMistyped } from '../../../starters/connect/settings.ts';

it.each([
  ['VOXBATCH_LEGDER', 'VOXBATCH_LEDGER'],
  ['VOXBATCH_STROE', 'VOXBATCH_STORE'],
  ['VOXBACTH_HOME', 'VOXBATCH_HOME'],
  ['TEMPORAL_ADRESS', 'TEMPORAL_ADDRESS'],
  ['voxbatch_ledger', 'VOXBATCH_LEDGER'],
])('refuses %s, which was meant to be %s', (name, meant) => {
  expect(() => {
    refuseMistyped({ [name]: 'x' });
  }).toThrow(`${name} is set, but there is no such setting. Did you mean ${meant}?`);
  // Who has set the real one has not misspelt it.
  expect(() => {
    refuseMistyped({ [name]: 'x', [meant]: 'y' });
  }).not.toThrow();
});

it('refuses no name that is like none of ours', () => {
  const hooks = ['VOXBATCH_EVENT', 'VOXBATCH_BATCH', 'VOXBATCH_REASON', 'VOXBATCH_ROWS', 'VOXBATCH_EXIT'];
  const others = ['TEMPORAL_TLS', 'TEMPORAL_CLI', 'TEMPORAL_UI_PORT', 'TEMP', 'VOX_HOME', 'VOXBATCH_IMAGE', 'TEMPDIR'];
  expect(() => {
    refuseMistyped(Object.fromEntries([...OWN_VARIABLES, ...hooks, ...others].map((name) => [name, 'x'])));
    refuseMistyped(Object.fromEntries([...hooks, ...others].map((name) => [name, 'x'])));
  }).not.toThrow();
});

it('knows every setting of the guide', () => {
  const guide = readFileSync(new URL('../../../docs/guide/config.md', import.meta.url), 'utf8');
  const told = guide.split('\n').filter((line) => line.startsWith('| `VOXBATCH_'));
  const names = told.flatMap((line) => line.split('|')[1]?.match(/VOXBATCH_[A-Z_]+/g) ?? []);
  expect([...OWN_VARIABLES].sort()).toEqual([...new Set(names)].sort());
});
