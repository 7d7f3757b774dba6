import { messageOf } from '../../contract/message-of.ts';
import { OTHER_HOME_ADVICE } from '../../contract/other-disk.ts';
import { jsonLine, type RunContext } from '../terminal/output.ts';
import { runChecks, type Finding, type PassedCheck, type Trouble } from '../../client/doctor/doctor.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { openSession } from '../connect/connect-api.ts';
import { readSettings } from '../connect/settings.ts';
import type { Settings } from '../../client/settings.ts';
import { ffmpegAdvice } from '../../client/sound/require-finishing.ts';
import { ExitError } from '../exit-error.ts';
import { exitErrorOf } from '../exit-of-problem.ts';
import { size, plural } from '../terminal/words.ts';

/** Shown instead of repeating a long message: one fault can keep other components from being checked. */
const SAME_REASON = 'not checked, for the same reason';

/** `voxbatch doctor`: checks a run's prerequisites one by one, and says what to do. Spends nothing. */
export async function doctor(flags: Flags, { output }: RunContext): Promise<ExitName> {
  const settings = await readSettings();
  const session = openSession(settings, flags, { mustExist: true });
  const findings: { readonly check: string; readonly ok: boolean; readonly says: string }[] = [];
  let exit: ExitName | undefined;
  try {
    for await (const finding of runChecks(session, output.say)) {
      const check = CHECKS[finding.type].name;
      const says = finding.ok ? componentWords(finding, settings) : faultWords(finding.trouble);
      const isRepeated = !finding.ok && findings.some((earlier) => !earlier.ok && earlier.says === says);
      findings.push({ check, ok: finding.ok, says });
      // The first fault decides the exit code.
      if (!finding.ok) exit ??= exitOfFinding(finding);
      if (flags.json !== true)
        output.data(`${finding.ok ? 'ok  ' : 'BAD '} ${check.padEnd(22)} ${isRepeated ? SAME_REASON : says}`);
    }
  } finally {
    await session.close();
  }
  if (flags.json === true) output.data(jsonLine(findings));
  return exit ?? 'complete';
}

/**
 * The name of each check, and the exit code of the command if this check is the first to fail. An error with an exit
 * code of its own decides instead.
 */
const CHECKS: Readonly<Record<PassedCheck['type'], { readonly name: string; readonly exit: ExitName }>> = {
  node: { name: 'node', exit: 'internal' },
  disk: { name: 'disk', exit: 'unreachable' },
  ffmpeg: { name: 'ffmpeg', exit: 'usage' },
  ledger: { name: 'ledger', exit: 'unreachable' },
  store: { name: 'store', exit: 'unreachable' },
  server: { name: 'server', exit: 'unreachable' },
  api: { name: 'api', exit: 'api' },
  account: { name: 'token, account, clock', exit: 'api' },
  // Temporal's lists of workflows filter by them.
  lists: { name: 'search attributes', exit: 'unreachable' },
  worker: { name: 'worker', exit: 'unreachable' },
};

/** Returns the exit code of a fault. */
function exitOfFinding({ type, trouble }: Extract<Finding, { readonly ok: false }>): ExitName {
  const error = trouble.type === 'error' ? exitErrorOf(trouble.error) : undefined;
  return error instanceof ExitError ? error.exit : CHECKS[type].exit;
}

/** Describes a component that works. */
function componentWords(part: PassedCheck, { env }: Settings): string {
  switch (part.type) {
    case 'node':
      return `Node ${part.version}`;
    case 'disk':
      return `${part.home} can be written, ${size(part.freeBytes)} free`;
    case 'ffmpeg':
      return part.found === undefined
        ? `none, which is no fault: only some work on sound needs it. ${ffmpegAdvice()}`
        : `${part.found.program}, version ${part.found.version}`;
    case 'ledger': {
      if (part.isMissing === true) return `${part.ledger}: none yet; the first batch makes it`;
      return `${part.ledger}: ${plural(part.batches, 'batch', 'batches')}, ${String(part.unfinished)} unfinished`;
    }
    case 'store':
      return `${part.store} ${part.isTried ? 'can be read and written' : 'is of no other ledger'}${
        part.copyProblem === undefined
          ? ''
          : `; its server does not copy (CopyObject: ${part.copyProblem}), so earlier results that are used again are read and written by workers`
      }${part.shortLinks === undefined ? '' : `; ${part.shortLinks}`}`;
    case 'server': {
      const { binary } = part;
      const from = binary === undefined ? 'cluster' : `embedded, CLI ${binary.version} from ${binary.from}`;
      return `Temporal ${part.version} at ${part.address} (${from})`;
    }
    case 'api':
      return part.proxy === undefined ? part.url : `${part.url}, by a tunnel through the proxy ${part.proxy}`;
    case 'account': {
      const balance = part.credits === undefined ? '' : `, ${String(part.credits)} API credits left`;
      const file = env['VOXBATCH_API_TOKEN_FILE'] ?? '';
      const from = file === '' ? '' : `; token from ${file}`;
      return `account ${part.account}${part.tier === undefined ? '' : ` (${part.tier})`}${balance}; clocks agree${from}`;
    }
    case 'lists':
      return part.missing.length === 0
        ? 'temporal workflow list --query "VoxbatchUnknown > 0"'
        : `${part.missing.join(', ')} missing, which is no fault: only Temporal's lists need them. A worker creates them if it may, or you: ${part.command}`;
    case 'worker':
      return plural(part.workers, 'polls this queue', 'poll this queue');
  }
}

/** A remark of error messages that makes no sense here: this command can never spend anything. */
const NOTHING_SPENT = / ?Nothing was (?:sent|spent)(?: by this command)?[.]/gu;

/** Describes a fault, and what to do. */
function faultWords(trouble: Trouble): string {
  switch (trouble.type) {
    case 'error':
      return messageOf(exitErrorOf(trouble.error)).replaceAll(NOTHING_SPENT, '');
    case 'unwritable-home':
      return `${trouble.home} cannot be written: ${messageOf(trouble.error)}. Make it a folder that you may write to. ${OTHER_HOME_ADVICE}`;
    case 'little-disk':
      return `${trouble.home} has only ${size(trouble.freeBytes)} free: free some space before a large batch.`;
    case 'clocks-apart': {
      const seconds = Math.round(trouble.apartMs / 1000);
      return `This machine's clock and the API's are ${String(seconds)} s apart: set the clock (NTP).`;
    }
    case 'no-worker':
      return 'no worker polls this queue: voxbatch worker';
    case 'unusable-ffmpeg':
      return ffmpegAdvice(trouble.path);
  }
}
