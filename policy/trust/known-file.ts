/**
 * Identifies a file that this user has confirmed, such as a ledger, so that a copy from somebody else is not trusted: a
 * copied, unpacked or restored file gets another inode and birth time. The device number is left out, because it may
 * change with each boot.
 */
export interface KnownFile {
  /** Absolute. */
  readonly path: string;
  readonly inode: number;
  /** Its birth time, ms; 0 if the file system does not report one, or reports one that can be set. */
  readonly born: number;
}

/** Times of a file as Node gives them, ms. */
interface FileTimes {
  readonly birthtimeMs: number;
  readonly ctimeMs: number;
}

/**
 * Returns a file's birth time, ms; 0 if it is not reported or could be forged. On macOS, setting an earlier
 * modification time also moves the birth time. A Linux sandbox without statx(2) reports every file's last change as its
 * birth; this is detected by Node's own binary, `node`, which was certainly changed after its birth.
 */
export function birthTimeMs(file: FileTimes, node: FileTimes, platform: string): number {
  if (platform !== 'linux' || node.birthtimeMs === node.ctimeMs) return 0;
  return Math.max(0, file.birthtimeMs);
}

/**
 * Whether two reads found the same file. Its inode counts only without a birth time, because some file systems renumber
 * files at each mount.
 */
export function isSameFile(one: Partial<KnownFile>, other: KnownFile): boolean {
  if (one.path !== other.path || one.born !== other.born) return false;
  return other.born > 0 || one.inode === other.inode;
}

/** The birth of a file and the first line in it are this close together if one process made both, ms. */
const SAME_MOMENT_MS = 2_000;
/**
 * End of the upgrade period, 1 July 2027 (`Date` counts months from 0): ledgers born later are never trusted without
 * confirmation, ms since 1970.
 */
const ADOPTED_UNTIL = Date.UTC(2027, 6, 1);

/** Facts about a ledger that is missing from the user's record. */
export interface UnknownLedger {
  /** Its file's birth time, ms; 0 if not reported, or if it could be set. */
  readonly born: number;
  /** When it says it was created, ms. */
  readonly madeAt: number | null;
  /** Made by a version that kept no record of its user's ledgers. */
  readonly isOfEarlierVersion: boolean;
}

/**
 * Whether a ledger of an earlier version was created on this machine: its file's birth time matches the creation time
 * it states. An unpacked or copied file is born later, whatever the archive says. Only for the upgrade period, because
 * a server that creates an archive while the user downloads and unpacks it could guess the birth time and state it.
 */
export function isMadeHere({ born, madeAt, isOfEarlierVersion }: UnknownLedger): boolean {
  if (!isOfEarlierVersion || madeAt === null || born <= 0 || born >= ADOPTED_UNTIL) return false;
  return Math.abs(madeAt - born) <= SAME_MOMENT_MS;
}
