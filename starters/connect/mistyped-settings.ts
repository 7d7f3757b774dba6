import { slipOf } from '../../contract/nearest-name.ts';
import { usageError } from '../exit-error.ts';

/** Our settings in the environment; docs/guide/config.md says what each is. */
export const SETTINGS: readonly string[] = [
  ...['VOXBATCH_API_URL', 'VOXBATCH_API_TOKEN', 'VOXBATCH_API_TOKEN_FILE'],
  ...['VOXBATCH_HOME', 'VOXBATCH_LEDGER', 'VOXBATCH_STORE', 'VOXBATCH_CONFIG', 'VOXBATCH_OPERATOR'],
  ...['VOXBATCH_SERVE_MEDIA', 'VOXBATCH_SERVE_MEDIA_URL', 'VOXBATCH_NOTIFY_SECRET', 'VOXBATCH_WEBHOOK_RESTORE'],
  ...['VOXBATCH_PAYLOAD_KEYS', 'VOXBATCH_PAYLOAD_KEYS_FILE', 'VOXBATCH_CODEC_TOKEN'],
  ...['VOXBATCH_TEMPORAL_CLI', 'VOXBATCH_FFMPEG'],
];

/** Temporal's settings that decide who works where. */
const OF_TEMPORAL = ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_API_KEY', 'TEMPORAL_PROFILE'];

/**
 * Refuses a setting whose name is probably a slip: ignored, a misspelt VOXBATCH_LEDGER begins a new ledger, which pays again
 * for all that the real one has. Names that resemble none of ours, or one that is set, may be anybody's.
 */
export function refuseMistyped(env: NodeJS.ProcessEnv): void {
  const known = [...SETTINGS, ...OF_TEMPORAL];
  const unset = known.filter((name) => env[name] === undefined);
  for (const name of Object.keys(env)) {
    if (!/^(?:VOX|TEMP)/i.test(name) || known.includes(name)) continue;
    const meant = slipOf(name, unset);
    if (meant === undefined) continue;
    throw usageError(
      `${name} is set, but there is no such setting. Did you mean ${meant}? Correct or unset it. Nothing was recorded.`,
    );
  }
}
