import { randomUUID } from 'node:crypto';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExitName } from '../../contract/exit-codes.ts';
import { findServer } from '../../embedded/find-server.ts';
import { messageOf } from '../../client/problem.ts';
import { ExitError } from '../exit-error.ts';
import { openApi } from '../open-api.ts';
import { openRecords } from '../../client/open-records.ts';
import { openTemporal } from '../../client/open-temporal.ts';
import { realmOf, type OpenApi } from '../../client/open-api.ts';
import { countPollers } from '../../client/pollers.ts';
import type { Settings } from '../../client/settings.ts';
import { readSettings } from '../settings.ts';
import { exitErrorOf } from '../problem-words.ts';
import type { Output } from '../terminal/output.ts';
import { size } from '../terminal/size.ts';
import { checkAccount, checkApi } from './check-api.ts';

/** One thing that was looked at. */
interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly says: string;
  /** Exit code if this is the first thing that is wrong. */
  readonly exit: ExitName;
}

/** Less free disk than this is worth a word, bytes. */
const LITTLE_DISK = 1e9;

/** `voxbatch doctor`: checks what a run needs, one after the other, and says what to do. Spends nothing. */
export async function doctor(
  flags: { readonly apiUrl?: string; readonly json?: boolean },
  output: Output,
): Promise<ExitName> {
  const settings = await readSettings();
  let opening: Promise<OpenApi> | undefined;
  const open = (): Promise<OpenApi> => (opening ??= openApi(settings, flags));
  const checks: readonly (readonly [string, ExitName, () => Promise<string>])[] = [
    ['node', 'internal', () => Promise.resolve(`Node ${process.versions.node}`)],
    ['disk', 'unreachable', () => checkDisk(settings)],
    ['ledger', 'unreachable', () => checkLedger(settings)],
    ['server', 'unreachable', () => checkServer(settings, output)],
    ['api', 'api', () => checkApi(settings, flags, open)],
    ['token, account, clock', 'api', () => checkAccount(settings, open)],
    // Embedded, a run brings its own.
    ...(settings.cluster === undefined
      ? []
      : [['worker', 'unreachable', () => checkWorker(settings, flags, output)] as const]),
  ];
  const findings: Finding[] = [];
  for (const [check, exit, look] of checks) {
    const finding = await Promise.resolve()
      .then(look)
      .then(
        (says) => ({ check, ok: true, says, exit }),
        (thrown: unknown) => {
          const error = exitErrorOf(thrown);
          return { check, ok: false, says: messageOf(error), exit: error instanceof ExitError ? error.exit : exit };
        },
      );
    findings.push(finding);
    if (flags.json !== true) output.data(`${finding.ok ? 'ok  ' : 'BAD '} ${finding.check.padEnd(22)} ${finding.says}`);
  }
  await opening?.then(
    ({ api }) => {
      api.close();
    },
    () => undefined,
  );
  if (flags.json === true) output.data(JSON.stringify(findings.map(({ check, ok, says }) => ({ check, ok, says }))));
  return findings.find((one) => !one.ok)?.exit ?? 'complete';
}

async function checkDisk({ home }: Settings): Promise<string> {
  await mkdir(home, { recursive: true });
  const probe = join(home, `.writable-${randomUUID()}`);
  await writeFile(probe, '');
  await rm(probe);
  const { bavail, bsize } = await statfs(home);
  const free = bavail * bsize;
  if (free < LITTLE_DISK) throw new Error(`${home} has only ${size(free)} free: free some space before a large batch.`);
  return `${home} can be written, ${size(free)} free`;
}

async function checkLedger(settings: Settings): Promise<string> {
  const ledger = await openRecords(settings, { mustExist: false });
  try {
    const batches = await ledger.listBatches();
    const open = batches.filter((one) => one.state !== 'closed').length;
    return `${settings.ledger}: ${batches.length === 1 ? '1 batch' : `${String(batches.length)} batches`}, ${String(open)} unfinished`;
  } finally {
    await ledger.close();
  }
}

async function checkServer(settings: Settings, output: Output): Promise<string> {
  const binary = settings.cluster === undefined ? await findServer({ env: settings.env, say: output.say }) : undefined;
  const temporal = await openTemporal(settings, { say: output.say });
  try {
    const { serverVersion } = await temporal.client.workflowService.getSystemInfo({});
    const from = binary === undefined ? 'cluster' : `embedded, CLI ${binary.version} from ${binary.from}`;
    return `Temporal ${serverVersion} at ${temporal.address} (${from})`;
  } finally {
    await temporal.close();
  }
}

/** On a cluster somebody else must work. */
async function checkWorker(settings: Settings, flags: { readonly apiUrl?: string }, output: Output): Promise<string> {
  const open = await openApi(settings, flags);
  open.api.close();
  const ledger = await openRecords(settings, { mustExist: false });
  await ledger.close();
  const temporal = await openTemporal(settings, { say: output.say });
  try {
    const workers = await countPollers(temporal, { ...realmOf(open), ledgerId: ledger.id });
    if (workers === 0) throw new Error('no worker polls this queue: voxbatch worker');
    return workers === 1 ? '1 polls this queue' : `${String(workers)} poll this queue`;
  } finally {
    await temporal.close();
  }
}
