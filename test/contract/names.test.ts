import { expect, it } from '@jest/globals';
import { realmDifference } from '../../contract/names.ts';

it('realms differ in their API first, then in their account, and in nothing else that a batch records', () => {
  const realm = { apiUrl: 'https://a.example/api/open/v1', account: 'u1' };
  const elsewhere = { ...realm, apiUrl: 'https://b.example/api/open/v1' };
  expect(realmDifference(realm, { ...realm })).toBeUndefined();
  expect(realmDifference(realm, elsewhere)).toBe('api');
  expect(realmDifference(realm, { ...realm, account: 'u2' })).toBe('account');
  expect(realmDifference(realm, { ...elsewhere, account: 'u2' })).toBe('api');
});
