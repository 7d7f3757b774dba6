/**
 * A file as nobody can bring it along: an archive or a copy gets another birth, and so does what is restored from a
 * backup. No device: its number may change with each start of the machine.
 */
export interface KnownFile {
  /** Absolute. */
  readonly path: string;
  readonly inode: number;
  /** When the file system made it, ms; 0 if it does not say, or says what can be set. */
  readonly born: number;
}

/** Times of a file as Node gives them, ms. */
interface FileTimes {
  readonly birthtimeMs: number;
  readonly ctimeMs: number;
}

/**
 * When a file was born, ms; 0 if that is not told, or could be set. On macOS, a file that is given an earlier time of change
 * is as old as that. A Linux whose sandbox lacks statx(2) tells the last change in place of the birth, of each file: of
 * Node's own, too, which was changed after its birth.
 */
export function birthOf(file: FileTimes, node: FileTimes, platform: string): number {
  if (platform !== 'linux' || node.birthtimeMs === node.ctimeMs) return 0;
  return Math.max(0, file.birthtimeMs);
}

/** Whether two looks found the same file. Some file systems number a file anew at each mount, but tell its birth. */
export function isSameFile(one: Partial<KnownFile>, other: KnownFile): boolean {
  if (one.path !== other.path || one.born !== other.born) return false;
  return other.born > 0 || one.inode === other.inode;
}

/** The birth of a file and the first line in it are this close together if one process made both, ms. */
const SAME_MOMENT_MS = 2_000;
/** From then on, no ledger of an earlier version is taken for the user's own without their word. */
const ADOPTED_UNTIL = Date.UTC(2027, 6, 1);

/** What is known of a ledger that the user's record does not have. */
export interface UnknownLedger {
  /** When the file system made its file, ms; 0: it does not say, or it could be set. */
  readonly born: number;
  /** When it was made, as it says itself, ms. */
  readonly madeAt: number | null;
  /** Made by a version that kept no record of its user's ledgers. */
  readonly isOfEarlierVersion: boolean;
}

/**
 * Whether a ledger of an earlier version was made on this machine: its file was born when it says that it was made. That
 * of an unpacked or copied one was born later, whatever the archive says. It is for the time of the upgrade only, because
 * a server that packs an archive while it is unpacked could guess the moment.
 */
export function isMadeHere({ born, madeAt, isOfEarlierVersion }: UnknownLedger): boolean {
  if (!isOfEarlierVersion || madeAt === null || born <= 0 || born >= ADOPTED_UNTIL) return false;
  return Math.abs(madeAt - born) <= SAME_MOMENT_MS;
}
