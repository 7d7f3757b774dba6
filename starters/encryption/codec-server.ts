import { once } from 'node:events';
import { findPayloadKeys } from '../../client/encryption/read-payload-keys.ts';
import { startCodecServer, type CodecServer, type CodecServerOptions } from '../../client/encryption/codec-server.ts';
import { isLoopback } from '../../contract/urls.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { messageOf } from '../../contract/message-of.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { ownEnvironment } from '../own-environment.ts';
import { listenForInterrupt } from '../run/interrupt.ts';
import type { RunContext } from '../terminal/output.ts';

/** Flags of the command, not yet checked. */
interface CodecFlags {
  readonly port?: string;
  readonly host?: string;
  readonly origin?: string;
}

/**
 * `voxbatch codec-server`: decrypts payloads for Temporal's UI and command line. Prints its URL first. Spends nothing.
 */
export async function codecServer(flags: CodecFlags, { output }: RunContext): Promise<ExitName> {
  const options = readOptions(flags, ownEnvironment());
  const interrupt = listenForInterrupt();
  try {
    const server = await start(options);
    output.data(server.url);
    output.say(
      `Decrypts what Temporal keeps: temporal workflow show --codec-endpoint ${server.url} …  Ctrl-C stops it.`,
    );
    if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
    await server.close();
    return interrupt.exit() === 'interrupted' ? 'interrupted' : 'complete';
  } finally {
    interrupt.dispose();
  }
}

/** Checks flags and environment. Throws {@link ExitError} `usage`; other hosts than loopback need a token. */
function readOptions(
  { port = '8081', host = '127.0.0.1', origin }: CodecFlags,
  env: NodeJS.ProcessEnv,
): CodecServerOptions {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw usageError(`--port: expected 0 to 65535; got "${port}".`);
  if (origin !== undefined && !isOrigin(origin))
    throw usageError(`--origin: expected an origin such as https://temporal.example; got "${origin}".`);
  const keys = findPayloadKeys(env);
  if (keys === undefined)
    throw usageError('There are no keys to decrypt with: set VOXBATCH_PAYLOAD_KEYS or VOXBATCH_PAYLOAD_KEYS_FILE.');
  const token = env['VOXBATCH_CODEC_TOKEN'] || undefined;
  if (token === undefined && !isLoopback(host))
    throw usageError(`--host ${host}: others could read what Temporal keeps. Set VOXBATCH_CODEC_TOKEN first.`);
  return { keys, host, port: Number(port), origin, token };
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

async function start(options: CodecServerOptions): Promise<CodecServer> {
  try {
    return await startCodecServer(options);
  } catch (cause) {
    const message = `The codec server cannot listen: ${messageOf(cause)}. Choose another --port, or 0 for a free one.`;
    throw new ExitError('usage', message, { cause });
  }
}
