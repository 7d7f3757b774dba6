import { expect, it } from '@jest/globals';
import { viewChange } from '../../../client/account/account-view.ts';
import { snakeCase } from '../../../contract/snake-case.ts';

it('a change of the profile shows what it holds by its own names, and of a URL no path', () => {
  const changed = (shown: unknown): unknown => {
    const change = { fields: [{ name: 'settings', result: 'changed', shown }] } as unknown;
    return snakeCase(viewChange(change as Parameters<typeof viewChange>[0]));
  };
  const held = { emailOnEnd: true, list: [{ 'X-HTTP': 1 }], none: null };
  expect(changed(held)).toMatchObject({ fields: [{ field: 'settings', result: 'changed', value: held }] });
  expect(changed('https://hook.example/secret')).toMatchObject({ fields: [{ value: 'https://hook.example/…' }] });
});
