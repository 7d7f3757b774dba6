import type { Finding, SoundPart, Trouble } from '../../client/doctor/doctor.ts';
import { messageOf } from '../../client/problem.ts';
import type { Settings } from '../../client/settings.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { FFMPEG_ADVICE, unusableFfmpeg } from '../../store/sound/find-ffmpeg.ts';
import { ExitError } from '../exit-error.ts';
import { exitErrorOf } from '../exit-of-problem.ts';
import { size } from '../terminal/words.ts';

/**
 * Name of each check, and the exit code if it is the first to find something wrong and its error has none of its own.
 */
const CHECKS: Readonly<Record<SoundPart['type'], { readonly name: string; readonly exit: ExitName }>> = {
  node: { name: 'node', exit: 'internal' },
  disk: { name: 'disk', exit: 'unreachable' },
  ffmpeg: { name: 'ffmpeg', exit: 'usage' },
  ledger: { name: 'ledger', exit: 'unreachable' },
  server: { name: 'server', exit: 'unreachable' },
  api: { name: 'api', exit: 'api' },
  account: { name: 'token, account, clock', exit: 'api' },
  worker: { name: 'worker', exit: 'unreachable' },
};

/** Name of the check. */
export function nameOfFinding({ type }: Finding): string {
  return CHECKS[type].name;
}

/** The exit code of a trouble. */
export function exitOfFinding({ type, trouble }: Extract<Finding, { readonly ok: false }>): ExitName {
  const error = trouble.type === 'error' ? exitErrorOf(trouble.error) : undefined;
  return error instanceof ExitError ? error.exit : CHECKS[type].exit;
}

/** The finding, in a line. */
export function wordsOfFinding(finding: Finding, settings: Settings): string {
  return finding.ok ? soundWords(finding, settings) : troubleWords(finding.trouble);
}

function soundWords(part: SoundPart, { env }: Settings): string {
  switch (part.type) {
    case 'node':
      return `Node ${part.version}`;
    case 'disk':
      return `${part.home} can be written, ${size(part.freeBytes)} free`;
    case 'ffmpeg':
      return part.found === undefined
        ? `none, which is no fault: only some work on sound needs it. ${FFMPEG_ADVICE}`
        : `${part.found.program}, version ${part.found.version}`;
    case 'ledger': {
      if (part.isMissing === true) return `${part.ledger}: none yet; the first batch makes it`;
      const batches = part.batches === 1 ? '1 batch' : `${String(part.batches)} batches`;
      return `${part.ledger}: ${batches}, ${String(part.unfinished)} unfinished`;
    }
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
    case 'worker':
      return part.workers === 1 ? '1 polls this queue' : `${String(part.workers)} poll this queue`;
  }
}

/** Said by commands that could have spent something. */
const UNSPENT = / ?Nothing was (?:sent|spent)(?: by this command)?[.]/gu;

function troubleWords(trouble: Trouble): string {
  switch (trouble.type) {
    case 'error':
      return messageOf(exitErrorOf(trouble.error)).replaceAll(UNSPENT, '');
    case 'little-disk':
      return `${trouble.home} has only ${size(trouble.freeBytes)} free: free some space before a large batch.`;
    case 'clocks-apart': {
      const seconds = Math.round(trouble.apartMs / 1000);
      return `This machine's clock and the API's are ${String(seconds)} s apart: set the clock (NTP).`;
    }
    case 'no-worker':
      return 'no worker polls this queue: voxbatch worker';
    case 'unusable-ffmpeg':
      return unusableFfmpeg(trouble.path);
  }
}
