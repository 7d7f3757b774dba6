import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ExitName } from '../../contract/exit-codes.ts';
import { openTyped, sayLedgerBeside } from './open-typed.ts';
import type { SessionRequest } from '../../client/session.ts';
import type { RunContext } from '../terminal/output.ts';
import { beginServerHere } from './early-server.ts';
import type { Settings } from '../../client/settings.ts';
import { readApiAccess } from '../connect/settings.ts';
import { isPlaceKnown } from '../../client/trust/known-ledgers.ts';
import { confirmedSettings } from '../trust/confirm.ts';
import type { Flags } from '../commands/flags.ts';
import { planRun, type RunPlan } from './run-options.ts';

/**
 * The first part of `voxbatch run MANIFEST`: the settings, the flags, and that the manifest exists. If the embedded
 * server will probably be needed, it and the thread of the ledger are started, and `run.ts` with its imports is loaded meanwhile: each
 * takes some tenths of a second. If the manifest is no good, the server is stopped again, and the ledger was not opened.
 */
export async function beginRun(manifestPath: string, flags: Flags, context: RunContext): Promise<ExitName> {
  const settings = await confirmedSettings(flags);
  const plan = planRun(manifestPath, flags, settings);
  const source = await openTyped(manifestPath);
  sayLedgerBeside(settings, manifestPath, ['run'], context.output);
  try {
    const isNeeded = needsServer(settings, plan, flags);
    const server = isNeeded ? beginServerHere(settings, context.output.say) : undefined;
    try {
      const ledgerThread = isNeeded ? await beginThread(settings) : undefined;
      await server?.underWay;
      const { run } = await import('./run.ts');
      return await run({ manifestPath, source, flags, settings, plan, server, ledgerThread }, context);
    } finally {
      await server?.end();
    }
  } finally {
    await source.close();
  }
}

async function beginThread(settings: Settings): Promise<SessionRequest['ledger']['begun']> {
  const { beginRecords } = await import('../../client/open-records.ts');
  return beginRecords(settings);
}

/** Only a guess: if it was wrong to think that no server is needed, one is started later. */
function needsServer(settings: Settings, plan: RunPlan, flags: Flags): boolean {
  // In the background another process does the work. A summary usually belongs to a finished batch.
  if (settings.cluster !== undefined || flags.detach === true || existsSync(join(plan.out, 'summary.json')))
    return false;
  // Nothing of a stranger's is started before the user has taken it.
  if (!isPlaceKnown(settings)) return false;
  try {
    readApiAccess(settings, flags);
    return true;
  } catch {
    // Reported after the errors of the manifest.
    return false;
  }
}
