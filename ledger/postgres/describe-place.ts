import { withoutSecrets } from '../../contract/urls.ts';

/**
 * The address without secrets, as people see it. Of its parameters, which may hold a password, only the schema is
 * shown.
 */
export function describePlace(place: string): string {
  const schema = new URL(place).searchParams.get('schema');
  return withoutSecrets(place) + (schema === null ? '' : `?schema=${schema}`);
}
