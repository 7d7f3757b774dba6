import { createHmac } from 'node:crypto';
import { createFetch } from '../../api/create-fetch.ts';
import type { NoticeMessage } from '../../batches/hooks/notice-message.ts';
import type { OccurrenceMessage } from '../../batches/schedules/occurrence-message.ts';

/** A receiver that has not answered by then has failed, ms. */
const TIMEOUT_MS = 15_000;

/**
 * Sends a message to the URL of `--notify`, as Standard Webhooks specifies: headers `webhook-id`, `webhook-timestamp`
 * and, with a secret, `webhook-signature`. Returns what went wrong, without the URL, which may be a secret; undefined:
 * the receiver accepted it.
 *
 * Redirects are not followed: they are no receipt, and would send the message elsewhere. Source: standardwebhooks.com,
 * "Verifying webhook authenticity" and "Operational considerations".
 *
 * @param fetch default: through the proxy that the environment names, if any
 */
export async function postNotice(
  url: string,
  message: NoticeMessage | OccurrenceMessage,
  secret: string | undefined,
  signal: AbortSignal,
  fetch = createFetch(),
): Promise<string | undefined> {
  const body = JSON.stringify(message);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature =
    secret === undefined ? {} : { 'webhook-signature': signatureOf({ id: message.id, timestamp, body, secret }) };
  // Such a URL may be on record of an earlier version. Thrown, it would end the process that delivers, and the next one, too.
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
    if (member(error, 'name') === 'TimeoutError') return `${host} did not answer within ${TIMEOUT_MS / 1_000} s`;
    const code = member(member(error, 'cause'), 'code');
    return `${host}: ${typeof code === 'string' ? code : 'no answer'}`;
  }
}

function member(value: unknown, name: 'name' | 'cause' | 'code'): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Partial<Record<typeof name, unknown>>)[name]
    : undefined;
}

/** The signature of a message: `v1,` and the HMAC-SHA256 of id, timestamp and body, in base64. */
export function signatureOf(signed: {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: string;
  readonly body: string;
  /** Any text; what follows `whsec_` is base64. */
  readonly secret: string;
}): string {
  const { id, timestamp, body, secret } = signed;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
