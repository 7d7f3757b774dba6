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
