import { VoxbatchError } from '../problem.ts';
import type { Settings } from '../settings.ts';

/**
 * Checks on a cluster that it has the namespace, before anything is recorded that it would not take. One that cannot be
 * reached now passes: whoever opens it says so. Throws {@link VoxbatchError} (`no-namespace`).
 */
export async function requireNamespace(settings: Settings): Promise<void> {
  if (settings.cluster === undefined) return;
  // Loaded lazily: a batch on this machine needs none of it yet.
  const { openTemporal } = await import('./open-temporal.ts');
  try {
    const temporal = await openTemporal(settings, { say: () => undefined, isUrgent: true });
    await temporal.close();
  } catch (error) {
    if (error instanceof VoxbatchError && error.problem.type === 'no-namespace') throw error;
  }
}
