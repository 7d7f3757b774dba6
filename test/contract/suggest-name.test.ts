import { expect, it } from '@jest/globals';
import { knownColumns } from '../../inputs/header-names.ts';
import { suggestName } from '../../contract/suggest-name.ts';

it.each([
  ['txet', 'text'],
  ['txt', 'text'],
  ['Voce', 'voice'],
  ['ID', 'id'],
  ['engin', 'engine'],
  // Cells of a file without a header.
  ['a', undefined],
  ['l1', undefined],
  ['7', undefined],
  ['Jane', undefined],
  ['Hello there', undefined],
])('%s is taken for a slip of %s', (name, meant) => expect(suggestName(name, [...knownColumns()])).toBe(meant));
