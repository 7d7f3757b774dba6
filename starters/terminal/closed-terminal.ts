import { closeSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { isatty } from 'node:tty';

const NOTHING = '/dev/null';
const STREAMS = [0, 1, 2] as const;

/**
 * Lets this process end as it wants to after its terminal was closed: as it exits, Node restores the mode of each
 * terminal, and aborts (SIGABRT) if one is gone. Those are replaced by `/dev/null` right before. Under `nohup`, that the
 * terminal was closed is ignored.
 */
export function surviveClosedTerminal(): void {
  if (isUnderNohup()) process.on('SIGHUP', () => undefined);
  const terminals = STREAMS.filter((stream) => isatty(stream));
  process.once('exit', () => {
    for (const stream of terminals) {
      if (isatty(stream)) continue;
      closeSync(stream);
      // Takes the lowest number that is free: the one that was just closed.
      openSync(NOTHING, 'r+');
    }
  });
}

/**
 * Whether this process was started by GNU `nohup` from a terminal. Node resets the signals that its parent had ignored
 * before any code of ours runs, so only stdin tells: nobody but `nohup` opens `/dev/null` for writing there. False where
 * that cannot be seen: stdin was redirected already, or this is not Linux.
 */
export function isUnderNohup(): boolean {
  try {
    const [, flags = ''] = /^flags:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/fdinfo/0', 'utf8')) ?? [];
    return readlinkSync('/proc/self/fd/0') === NOTHING && (Number.parseInt(flags, 8) & 0o3) === 0o1;
  } catch {
    return false;
  }
}
