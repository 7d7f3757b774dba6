import { existsSync } from 'node:fs';
import { readFile, realpath, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { moveAdvice } from '../../contract/other-disk.ts';
import { LedgerUnreachable } from '../errors.ts';

/** The system calls of {@link refuseNetworkDisk}; tests replace them. */
export interface Disks {
  /** Linux's number for the kind of file system at a path. Rejects if the path does not exist. */
  readonly typeOf: (path: string) => Promise<number>;
  /** Content of `/proc/self/mountinfo`, which alone distinguishes FUSE file systems. Rejects if it does not exist. */
  readonly mounts: () => Promise<string>;
}

const SYSTEM: Disks = {
  typeOf: async (path) => (await statfs(path)).type,
  mounts: () => readFile('/proc/self/mountinfo', 'utf8'),
};

/** Network file systems by Linux's numbers, from `magic.h` and the file systems' own sources. */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9p'],
  [0x564c, 'NCP'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0xaad7aaea, 'PanFS'],
  [0x786f4256, 'a shared folder of VirtualBox'],
  [0xbacbacbc, 'a shared folder of VMware'],
]);

/** Number of all FUSE file systems, which are programs for local or remote disks. */
const FUSE = 0x65735546;
/** Names of FUSE programs for remote disks. */
const NETWORK_PROGRAMS =
  /sshfs|s3|gcsfuse|goofys|rclone|davfs|curlftpfs|gluster|ceph|juicefs|seaweed|moosefs|mfs|lizardfs|beegfs|gvfsd|kio|google-drive|onedrive|dropbox|blobfuse|hdfs|alluxio|cvmfs|smbnetfs|fuse-nfs|9p|virtiofs|vmhgfs|prl_fs|vbox|osxfs|grpcfuse|drvfs|keybase|ipfs/i;

/**
 * Throws {@link LedgerUnreachable} if a ledger is, or would be, on another machine's disk. There, locks and syncs may
 * do nothing, or hold on one machine only; two workers could take one row, and a record that a request relied on could
 * be lost.
 *
 * Linux only: other systems do not number their file systems.
 */
export async function refuseNetworkDisk(path: string, disks: Disks = SYSTEM): Promise<void> {
  const kind = process.platform === 'linux' || disks !== SYSTEM ? await networkKind(path, disks) : undefined;
  if (kind === undefined) return;
  throw new LedgerUnreachable(
    path,
    `it lies on a network file system (${kind}), where file locks and syncs are not reliable enough to prevent double charges`,
    existsSync(path)
      ? moveAdvice(resolve(dirname(path)))
      : 'Set VOXBATCH_HOME to a folder on a disk of this machine, or just the ledger: VOXBATCH_LEDGER.',
  );
}

/** Returns the name of the network file system at a path; undefined for local ones, and if it is unknown. */
async function networkKind(path: string, disks: Disks): Promise<string | undefined> {
  try {
    // A 32-bit number may come with its sign.
    const type = (await disks.typeOf(path)) >>> 0;
    if (type !== FUSE) return NETWORK_TYPES.get(type);
    const name = programAt(await realpath(path), await disks.mounts());
    return name !== undefined && NETWORK_PROGRAMS.test(name) ? name : undefined;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const parent = dirname(path);
    return isMissing && parent !== path ? networkKind(parent, disks) : undefined;
  }
}

/** Returns the kind of file system at a path, such as `fuse.sshfs`: that of the longest mount point above it. */
function programAt(path: string, mountinfo: string): string | undefined {
  let best = { point: '', kind: '' };
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    // Spaces and some other characters are written as octal numbers.
    const point = before
      .split(' ')[4]
      ?.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));
    if (point === undefined || !isAt(path, point) || point.length < best.point.length) continue;
    best = { point, kind: after.split(' ')[0] ?? '' };
  }
  return best.point === '' ? undefined : best.kind;
}

function isAt(path: string, point: string): boolean {
  return path === point || path.startsWith(point.endsWith('/') ? point : `${point}/`);
}
