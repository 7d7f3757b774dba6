import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What `deploy/postgres/roles.sql` says, as psql reads it. */
export const ROLES_FILE = readFileSync(join(import.meta.dirname, '../../deploy/postgres/roles.sql'), 'utf8');

/** Its statements, without the commands of psql, for a connection. */
export const GRANTS = ROLES_FILE.replaceAll(/^\\.*\n/gm, '');
