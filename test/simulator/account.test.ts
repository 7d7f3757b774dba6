import { expect, it } from '@jest/globals';
import { Account } from '../../simulator/account.ts';

it('an account keeps its id with another token, which differs after the first dot, and has another one else', () => {
  const idOf = (token: string): string => new Account({ token, credits: 0 }).userId;
  expect(idOf('rehearsal.2')).toBe(idOf('rehearsal'));
  expect(idOf('rehearsal2')).not.toBe(idOf('rehearsal'));
});
