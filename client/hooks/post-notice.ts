import { createHmac } from 'node:crypto';
import { createFetch } from '../../api/create-fetch.ts';
import type { NoticeMessage, OccurrenceMessage } from './notice-content.ts';

/** Timeout for a receiver's answer, ms. */
const TIMEOUT_MS = 15_000;

/**
 * Sends a message to the URL of `--notify`, as Standard Webhooks specifies: headers `webhook-id`, `webhook-timestamp`
 * and, with a secret, `webhook-signature`. Returns what went wrong, without the URL, which may be a secret;
 * undefined if the receiver accepted it. Throws only if the signal aborts.
 *
 * Redirects are not followed: they acknowledge nothing, and would send the message elsewhere. Source:
 * standardwebhooks.com, "Verifying webhook authenticity" and "Operational considerations".
 *
 * @param fetch default: fetches through the environment's proxy, if any
 */
export async function postNotice(
  url: string,
  message: NoticeMessage | OccurrenceMessage,
  secret: string | undefined,
  signal: AbortSignal,
  fetch = createFetch(),
): Promise<string | undefined> {
  const body = JSON.stringify(message);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature =
    secret === undefined ? {} : { 'webhook-signature': signatureOf({ id: message.id, timestamp, body, secret }) };
  // An earlier version may have recorded such a URL. Throwing would end the delivering process, and the next one too.
  if (!URL.canParse(url)) return 'its URL cannot be read';
  const { host } = new URL(url);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'voxbatch',
        'webhook-id': message.id,
        'webhook-timestamp': timestamp,
        ...signature,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    // Nobody reads the body.
    await answer.body?.cancel();
    return answer.ok ? undefined : `${host} answered ${answer.status}`;
  } catch (error) {
    if (signal.aborted) throw error;
    if (member(error, 'name') === 'TimeoutError') return `${host} did not answer within ${TIMEOUT_MS / 1000} s`;
    const code = member(member(error, 'cause'), 'code');
    return `${host}: ${typeof code === 'string' ? code : 'no answer'}`;
  }
}

/** Returns a property of a caught value; undefined if it has none. */
function member(value: unknown, name: 'name' | 'cause' | 'code'): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Partial<Record<typeof name, unknown>>)[name]
    : undefined;
}

/** Returns a message's signature: `v1,` followed by the base64 HMAC-SHA256 of id, timestamp and body. */
export function signatureOf(signed: {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: string;
  readonly body: string;
  /** Any text; after the prefix `whsec_`, base64. */
  readonly secret: string;
}): string {
  const { id, timestamp, body, secret } = signed;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
