import { expect, it } from '@jest/globals';
import { unreachable } from '../../../ledger/sqlite/open-file.ts';

const LEDGER = '/home/ada/.voxbatch/ledger.db';
const REFUSED = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });

/** A machine on which only some folders can be seen, by their owners. */
const seen = (owners: Record<string, number>) => (path: string) => {
  const uid = owners[path];
  if (uid === undefined) throw REFUSED;
  return { uid };
};

it('a ledger in a folder of another user is not yours to read: nobody is told to make it writable', () => {
  const look = seen({ '/': 0, '/home': 0, '/home/ada': 1_001 });
  const { message } = unreachable(LEDGER, REFUSED, 'read', { me: 1_000, lstat: look });
  expect(message).toContain(
    '/home/ada belongs to another user (uid 1001), and is not yours to read (EACCES). Set VOXBATCH_HOME',
  );
  expect(message).not.toContain('writable');
  expect(unreachable(LEDGER, REFUSED, 'write to', { me: 1_000, lstat: look }).message).toContain(
    'not yours to write to (EACCES)',
  );
});

it.each([
  ["one's own folder", { '/': 0, '/home/ada': 1_000 }, REFUSED],
  ['a mounted volume of root', { '/': 0, '/home/ada': 0 }, REFUSED],
  ['a folder of another user, where the disk is the trouble', { '/': 0, '/home/ada': 1_001 }, new Error('EIO')],
  ['nothing that can be seen', {}, REFUSED],
])('a right that is lacking in %s is given by who owns it', (_, owners, error) => {
  const { message } = unreachable(LEDGER, error, 'read', { me: 1_000, lstat: seen(owners) });
  expect(message).toContain('Make its folder writable');
  expect(message).not.toContain('another user');
});
