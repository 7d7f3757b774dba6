import { defined } from '../../contract/defined.ts';
import { withoutPath } from '../../contract/shown-value.ts';
import type { ConnectedApi } from '../connect-api.ts';
import type { ProfileChange } from './account-functions.ts';

/** The token's account. */
export type ProfileView = ReturnType<typeof viewProfile>;

/** Views an account's profile for `--json`. */
export function viewProfile({ api, profile }: ConnectedApi) {
  const { userId, tier = null, quotaRemaining = null, credits = null, webhookUrl } = profile;
  return {
    userId,
    tier,
    /** The credits that batches spend. */
    apiCredits: quotaRemaining,
    websiteCredits: credits,
    /**
     * The webhook URL without its path, which may be a secret. Null if none is set; absent if the API does not report
     * it.
     */
    ...defined({ webhook: typeof webhookUrl === 'string' ? withoutPath(webhookUrl) : webhookUrl }),
    /** The API's base URL. */
    api: api.baseUrl,
  };
}

/** Views a profile update for `--json`. Of a URL only the origin is shown: its path may be a secret. */
export function viewChange({ fields, failure }: ProfileChange) {
  return {
    fields: fields.map(({ name, result, shown }) => ({
      field: name,
      result,
      ...(shown === undefined ? {} : { value: verbatim(withoutPaths(shown)) }),
    })),
    message: failure?.message ?? null,
  };
}

/** Turns a value's objects into maps, so that `--json` does not change the names of their members to snake case. */
function verbatim(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(verbatim);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([name, member]) => [name, verbatim(member)]));
}

/** A value safe to display: a URL's path may be a secret. */
export function withoutPaths(value: unknown): unknown {
  return typeof value === 'string' && /^https?:/i.test(value) ? withoutPath(value) : value;
}
