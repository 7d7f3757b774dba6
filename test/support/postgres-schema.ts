import { randomUUID } from 'node:crypto';

/** Address of a new schema on the PostgreSQL server that all tests of `npm run test:postgres` share. Throws without that server. */
export function newPostgresSchema(): string {
  const url = process.env['TEST_POSTGRES'];
  if (url === undefined) throw new Error('This test needs a PostgreSQL server: npm run test:postgres');
  return `${url}?schema=t${randomUUID().slice(0, 8)}`;
}
