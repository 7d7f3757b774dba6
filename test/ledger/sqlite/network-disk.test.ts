/** @slow */
import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { realpath, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LedgerUnreachable } from '../../../ledger/errors.ts';
import { refuseNetworkDisk, type Disks } from '../../../ledger/sqlite/network-disk.ts';
import { prepareFile } from '../../../ledger/sqlite/open-file.ts';
import { folderForEach } from '../../support/fresh-folder.ts';

const EXT4 = 0xef53;
const NFS = 0x6969;
const FUSE = 0x65735546;

const folder = folderForEach();

/** A system on which all lies on one kind of file system, and nothing exists below `folder`. */
function allOn(type: number, kind = 'ext4'): Disks {
  return {
    typeOf: (path) => (existsSync(path) ? Promise.resolve(type) : Promise.reject(notThere())),
    mounts: async () =>
      `22 1 8:1 / / rw - ext4 /dev/sda rw\n30 22 0:40 / ${await realpath(folder())} rw - ${kind} host:/x rw\n`,
  };
}

const notThere = (): Error => Object.assign(new Error('ENOENT'), { code: 'ENOENT' });

describe('a ledger on a network disk', () => {
  it.each([
    ['NFS', NFS],
    ['SMB', 0xfe534d42],
    ['SMB', 0xfe534d42 | 0],
    ['CIFS', 0xff534d42],
    ['9p', 0x01021997],
    ['Ceph', 0x00c36400],
  ])('is refused on %s (%d), with what to do', async (name, type) => {
    const path = folder('not', 'yet', 'ledger.db');
    const refused = expect(prepareFile(path, { mustExist: false, disks: allOn(type) })).rejects;
    await refused.toThrow(LedgerUnreachable);
    await refused.toThrow(
      new RegExp(`network file system \\(${name}\\).*Set VOXBATCH_HOME to a folder on a disk of this machine`),
    );
    // Nothing was made there.
    expect(existsSync(dirname(path))).toBe(false);
  });

  it('is moved as a whole where it exists: a setting alone would begin an empty one', async () => {
    const path = folder('ledger.db');
    await writeFile(path, '');
    const error: unknown = await refuseNetworkDisk(path, allOn(NFS)).catch((refusal: unknown) => refusal);
    expect(String(error)).toContain(`Move the whole folder ${folder()} to another disk`);
    expect(String(error)).not.toContain('VOXBATCH_');
  });

  it.each(['fuse.sshfs', 'fuse.s3fs', 'fuse.glusterfs', 'fuse.rclone', 'virtiofs', 'fuse.vmhgfs-fuse'])(
    'is refused on %s, which only its name tells from a local one',
    (kind) => expect(refuseNetworkDisk(folder('ledger.db'), allOn(FUSE, kind))).rejects.toThrow(`(${kind})`),
  );

  it.each(['fuseblk', 'fuse.gocryptfs', 'fuse.mergerfs', 'fuse.fuse-overlayfs'])(
    'is taken on %s, a local one',
    (kind) => refuseNetworkDisk(folder('ledger.db'), allOn(FUSE, kind)),
  );

  it('is taken where the system cannot say what it is', async () => {
    const disks = { ...allOn(FUSE), mounts: () => Promise.reject(notThere()) };
    const dumb = { ...allOn(NFS), typeOf: () => Promise.reject(new Error('ENOSYS')) };
    for (const silent of [disks, dumb]) await refuseNetworkDisk(folder('ledger.db'), silent);
  });

  it('is a ledger like any other on a local disk', async () => {
    await prepareFile(folder('ledger.db'), { mustExist: false, disks: allOn(EXT4) });
    expect(existsSync(folder('ledger.db'))).toBe(true);
  });
});
