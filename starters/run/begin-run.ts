import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ExitName } from '../../contract/exit-codes.ts';
import { openManifestArgument, warnOfNewLedger, warnOfLedgerBeside } from './open-manifest-argument.ts';
import type { SessionRequest } from '../../client/session.ts';
import type { RunContext } from '../terminal/output.ts';
import { beginServerHere } from './early-server.ts';
import type { Settings } from '../../client/settings.ts';
import { readApiAccess } from '../connect/settings.ts';
import { isPlaceKnown } from '../../client/trust/known-ledgers.ts';
import { confirmedSettings } from '../trust/confirm.ts';
import type { Flags } from '../commands/flags.ts';
import { withMetrics } from '../commands/read-metrics-flags.ts';
import { usageError } from '../exit-error.ts';
import { readRunFlags, type RunPlan } from './run-options.ts';

/**
 * First part of `voxbatch run MANIFEST`: reads settings and flags, and checks that the manifest exists. If the embedded
 * server will probably be needed, starts it and the ledger's thread while `run.ts` and its imports load, since each
 * takes some tenths of a second. For an invalid manifest, the server is stopped again, and the ledger is never opened.
 */
export async function beginRun(manifestPath: string, flags: Flags, context: RunContext): Promise<ExitName> {
  const settings = withMetrics(await confirmedSettings(flags), flags);
  if (flags.metricsPort !== undefined && settings.cluster !== undefined)
    throw usageError('With a cluster, other processes work: give --metrics-port to voxbatch worker.');
  const plan = await readRunFlags(manifestPath, flags, settings);
  const source = await openManifestArgument(manifestPath, flags);
  warnOfLedgerBeside(settings, manifestPath, ['run'], context.output);
  warnOfNewLedger(settings, context.output);
  try {
    const isNeeded = needsServer(settings, plan, flags);
    const server = isNeeded ? beginServerHere(settings, context.output.say) : undefined;
    try {
      const ledgerThread = isNeeded ? await beginThread(settings) : undefined;
      // Loading code blocks this thread, so the server's process is started before.
      await server?.underWay;
      // A run that needs the server needs a worker as well, so its code is loaded at the same time.
      const [{ run }] = await Promise.all([
        import('./run.ts'),
        isNeeded ? import('../../client/work/start-local-worker.ts') : undefined,
      ]);
      return await run({ manifestPath, source, flags, settings, plan, server, ledgerThread }, context);
    } finally {
      await server?.end();
    }
  } finally {
    await source.close();
  }
}

/** Starts the ledger's worker thread. */
async function beginThread(settings: Settings): Promise<SessionRequest['ledger']['begun']> {
  const { beginRecords } = await import('../../client/open-records.ts');
  return beginRecords(settings);
}

/** Guesses whether this process will need the embedded server. If the guess is no, the server can still start later. */
function needsServer(settings: Settings, plan: RunPlan, flags: Flags): boolean {
  // With `--detach` another process does the work. An existing summary usually means that the batch is finished.
  if (settings.cluster !== undefined || flags.detach === true || existsSync(join(plan.out, 'summary.json')))
    return false;
  // Start nothing in a stranger's folder before the user has confirmed it.
  if (!isPlaceKnown(settings)) return false;
  try {
    readApiAccess(settings, flags);
    return true;
  } catch {
    // Reported after the errors of the manifest.
    return false;
  }
}
