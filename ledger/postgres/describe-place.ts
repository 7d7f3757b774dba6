import { withoutSecrets } from '../../contract/urls.ts';

/**
 * Returns the address of a ledger without secrets, for messages. Of its parameters, which may hold a password, only the
 * schema is kept.
 */
export function describePlace(place: string): string {
  const schema = new URL(place).searchParams.get('schema');
  return withoutSecrets(place) + (schema === null ? '' : `?schema=${schema}`);
}
