import { createHmac } from 'node:crypto';
import { createFetch } from '../../api/create-fetch.ts';
import type { NoticeMessage, OccurrenceMessage } from './read-news.ts';
import { once } from 'node:events';
import { environmentForUser } from '../../contract/own-secrets.ts';
import { startChild } from '../../embedded/child-process.ts';

/** Timeout for a receiver's answer, ms. */
const TIMEOUT_MS = 15_000;

/**
 * Sends a message to the URL of `--notify`, as Standard Webhooks specifies: headers `webhook-id`, `webhook-timestamp`
 * and, with a secret, `webhook-signature`. Returns what went wrong, without the URL, which may be a secret, or
 * undefined if the receiver accepted it.
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
  const timestamp = String(Math.floor(Date.now() / 1_000));
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

/** A message's signature: `v1,` followed by the base64 HMAC-SHA256 of id, timestamp and body. */
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

/** A command still running after this is killed, ms. */
const LONGEST_RUN_MS = 600_000;

/** Input of {@link runHookCommand}. */
export interface HookCommand {
  /** Shell command line. */
  readonly command: string;
  /** Added to this process's environment, which is passed on without our secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Text for its stdin. */
  readonly input: string;
  /** Kills the command and everything it started. */
  readonly signal: AbortSignal;
}

/**
 * Runs the `--on-end` command in a shell, in this process's working directory; its output goes to stderr. Returns what
 * went wrong, or undefined if it exited with 0. Throws if the signal killed it.
 */
export async function runHookCommand({
  command,
  environment,
  input,
  signal,
}: HookCommand): Promise<string | undefined> {
  signal.throwIfAborted();
  const { stderr } = process;
  const env = { ...environmentForUser(process.env), ...environment };
  const child = startChild('/bin/sh', ['-c', command], {
    env,
    passes: Object.keys(env),
    // Its own process group, so that its children are killed with it, and a Ctrl-C that shuts us down does not reach
    // it.
    detached: true,
    stdio: ['pipe', stderr, stderr],
  });
  const kill = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_RUN_MS)]);
  limit.addEventListener('abort', kill);
  // Its group would outlive an immediate exit, and the next process would run the command a second time alongside it.
  process.once('exit', kill);
  // A command need not read its input.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  try {
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    signal.throwIfAborted();
    if (limit.aborted) return `it ran for ${LONGEST_RUN_MS / 60_000} minutes and was killed`;
    if (code === 0) return undefined;
    return code === null ? `it was killed by ${killedBy ?? 'a signal'}` : `it ended with exit code ${code}`;
  } finally {
    limit.removeEventListener('abort', kill);
    process.off('exit', kill);
  }
}
