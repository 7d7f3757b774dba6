import type { BatchSettings } from '../../contract/batch.ts';
import { hostOf, memberLines, visible, visiblePath } from '../trust/member-words.ts';
import type { UnconfirmedConfig } from '../../client/trust/folder-config.ts';

/** What runs, and what is told, when the batch ends or pauses by itself. Of the address only the host. */
export function hookLines({ onEnd = null, notify = null }: Partial<BatchSettings>): readonly string[] {
  return [
    ...(onEnd === null ? [] : [`At its end, or if it pauses by itself, this command runs: ${visible(onEnd)}`]),
    ...(notify === null ? [] : [`At its end, or if it pauses by itself, ${hostOf(notify)} gets a message`]),
  ];
}

/** What the folder's config says and was left out here; nothing if there is nothing. */
export function unconfirmedLines(unconfirmed: UnconfirmedConfig | undefined): readonly string[] {
  if (unconfirmed === undefined) return [];
  return [
    `Not used here, because you have not confirmed it (${visiblePath(unconfirmed.path)}):`,
    ...memberLines(unconfirmed.members).map((line) => `  ${line}`),
    'run refuses it until you have (exit code 2). If it is right, run: voxbatch trust',
  ];
}
