import { describe, expect, it } from '@jest/globals';
import { TABLES } from '../../ledger/schema.ts';
import { GRANTS, ROLES_FILE } from '../support/role-grants.ts';

/** What each role may do beyond looking, by table, as `deploy/postgres/roles.sql` grants it. */
function grantsOf(role: string): ReadonlyMap<string, readonly string[]> {
  const text = GRANTS.replaceAll(/\n */g, ' ')
    .replaceAll(/ (insert|update|select) \([^)]*\) on /g, ' $1 on ')
    .replaceAll(';', ';\n');
  const grants = new Map<string, string[]>();
  for (const [, rights = '', tables = '', to = ''] of text.matchAll(/ grant ([\w, ]+) on ([^;]+) to ([\w, ]+);/g)) {
    if (!namesIn(to).includes(role) || rights === 'select' || /^(schema|all tables) /.test(tables)) continue;
    for (const table of namesIn(tables)) grants.set(table, [...(grants.get(table) ?? []), ...namesIn(rights)]);
  }
  return grants;
}

const namesIn = (list: string): readonly string[] => list.split(',').map((name) => name.trim());

const ROLES = ['voxbatch_operator', 'voxbatch_worker'] as const;

describe('the roles of a ledger in PostgreSQL', () => {
  it.each(Object.keys(TABLES))('some role may write %s', (table) => {
    expect(ROLES.some((role) => grantsOf(role).has(table))).toBe(true);
  });

  it('psql ends at the first statement that fails, instead of a commit of nothing and exit code 0', () => {
    expect(ROLES_FILE).toMatch(/^\\set ON_ERROR_STOP on$[^]*^begin;$/m);
  });

  it('are given in one transaction, so that workers at work always have them', () => {
    const statements = GRANTS.replaceAll(/^--.*\n/gm, '').trim();
    expect(statements).toMatch(/^begin;\n/);
    expect(statements.match(/^commit;$/gm)).toHaveLength(1);
    expect(statements).toMatch(/\ncommit;$/);
  });

  it.each(ROLES)('%s is granted rights on tables that there are, each once', (role) => {
    for (const [table, rights] of grantsOf(role)) {
      expect(Object.keys(TABLES)).toContain(table);
      expect(new Set(rights).size).toBe(rights.length);
    }
  });

  it('readers write nothing, operators record no paid request, and nobody changes or removes what is evidence', () => {
    expect(grantsOf('voxbatch_reader').size).toBe(0);
    expect(grantsOf('voxbatch_operator').get('charges')).toEqual(['update']);
    for (const role of ROLES) {
      expect(grantsOf(role).get('actions')).toEqual(['insert']);
      expect(grantsOf(role).get('decisions')).toEqual(['insert']);
      expect(grantsOf(role).get('charges')).not.toContain('delete');
    }
  });

  it('workers cannot make or remove a schedule, and operators cannot take a lane', () => {
    expect(grantsOf('voxbatch_worker').get('schedules')).toEqual(['update']);
    expect(grantsOf('voxbatch_worker').get('allowed_firings')).toEqual(['update']);
    expect(['lanes', 'workers', 'webhooks'].filter((table) => grantsOf('voxbatch_operator').has(table))).toEqual([]);
  });
});
