import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.ts';
import type { ConfirmedMembers } from '../../inputs/confirmed-members.ts';
import { readState, removeState, stateFile, writeState } from './state-files.ts';

/** Members of a config file that have to be confirmed. */
export interface RiskyConfig {
  /** Of the file; absolute. Links are resolved in the folder, not in the file's own name: commands run in that folder. */
  readonly path: string;
  readonly members: ConfirmedMembers;
}

const KIND = 'configs';

/** Whether the user has confirmed exactly these members of this file. */
export function isConfigConfirmed(env: NodeJS.ProcessEnv, config: RiskyConfig): boolean {
  const found = readState(stateFile(env, KIND, config.path));
  return typeof found === 'object' && found !== null && 'digest' in found && found.digest === digestOf(config);
}

/** Remembers a yes. Throws if it cannot be written. */
export function rememberConfig(env: NodeJS.ProcessEnv, config: RiskyConfig): void {
  writeState(stateFile(env, KIND, config.path), { path: config.path, digest: digestOf(config) });
}

/** Takes a yes back. */
export function forgetConfig(env: NodeJS.ProcessEnv, path: string): void {
  removeState(stateFile(env, KIND, path));
}

function digestOf({ path, members }: RiskyConfig): string {
  return createHash('sha256')
    .update(canonicalJson([path, members]))
    .digest('hex');
}
