import type { BackupMoment, RestoreMoment } from '../ledger/backup/backup-dialect.ts';
import type { CopyMoment } from '../ledger/copy/copy-side.ts';

/**
 * Points between a paid request and its recorded result at which a process can die. Tests kill the process there to
 * prove that nothing is lost. In production the hook does nothing.
 */
export const FAULT_POINTS = [
  'before-intent',
  'after-intent',
  'after-answer',
  'after-verdict',
  'before-rename',
] as const;

/**
 * {@link FAULT_POINTS}, and those where no request is in flight. `before-reuse-record`: an earlier result has been
 * copied but not recorded. `before-join-record`: a row's parts have been joined but not recorded. `copy-…`: a ledger is
 * being moved; `backup-…`, `restore-…`: backed up or restored.
 */
export type FaultPoint =
  | (typeof FAULT_POINTS)[number]
  | 'before-reuse-record'
  | 'before-join-record'
  | `copy-${CopyMoment}`
  | `backup-${BackupMoment}`
  | `restore-${RestoreMoment}`;

/** Called at each fault point. It may take long, or never return. */
export type FaultPointHook = (point: FaultPoint) => void | Promise<void>;
