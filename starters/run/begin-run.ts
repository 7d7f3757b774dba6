import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ExitName } from '../../contract/exit-codes.ts';
import { openManifest } from '../../inputs/manifest-source.ts';
import type { RunContext } from '../command-context.ts';
import { beginServerHere } from './early-server.ts';
import type { Settings } from '../../client/settings.ts';
import { readApiAccess, readSettings } from '../connect/settings.ts';
import { planRun, type RunFlags, type RunPlan } from './run-options.ts';

/**
 * `voxbatch run MANIFEST`, as far as it can be known at once: the settings, the flags, and that there is a manifest. Where it is
 * likely that the embedded server will be needed, that is started, and while it starts, `run.ts` is loaded with all that it needs: either
 * takes half a second. If the manifest is no good, the server is ended again.
 */
export async function beginRun(manifestPath: string, flags: RunFlags, context: RunContext): Promise<ExitName> {
  const settings = await readSettings();
  const plan = planRun(manifestPath, flags, settings);
  const source = await openManifest(manifestPath);
  try {
    const server = needsServer(settings, plan, flags) ? beginServerHere(settings, context.output.say) : undefined;
    try {
      await server?.underWay;
      const { run } = await import('./run.ts');
      return await run({ manifestPath, source, flags, settings, plan, server }, context);
    } finally {
      await server?.end();
    }
  } finally {
    await source.close();
  }
}

/** Only a guess: the server is started later where it was wrong to think that none is needed. */
function needsServer(settings: Settings, plan: RunPlan, flags: RunFlags): boolean {
  // In the background somebody else works. A summary is that of a batch that is finished, as a rule.
  if (settings.cluster !== undefined || flags.detach === true || existsSync(join(plan.out, 'summary.json')))
    return false;
  try {
    readApiAccess(settings, flags);
    return true;
  } catch {
    // It is said after what is wrong with the manifest.
    return false;
  }
}
