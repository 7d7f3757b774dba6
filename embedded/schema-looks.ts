import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import * as z from 'zod';

/** What the last look at an API's schema saw. */
export interface StoredLook {
  /** ms since 1970. */
  readonly seenAt: number;
  /** Digests of the parts of each endpoint. */
  readonly endpoints: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const form = z.object({
  version: z.literal(1),
  /** By the address of the API. */
  looks: z.record(
    z.string(),
    z.object({ seenAt: z.number(), endpoints: z.record(z.string(), z.record(z.string(), z.string())) }),
  ),
});

/** The last looks, one for each address of an API. A file that is missing or unreadable has none: the next look is a first one. */
export async function readLooks(file: string): Promise<Readonly<Record<string, StoredLook>>> {
  try {
    return form.parse(JSON.parse(await readFile(file, 'utf8'))).looks;
  } catch {
    return {};
  }
}

/** Keeps a look as the last one at this address. */
export async function keepLook(file: string, apiUrl: string, look: StoredLook): Promise<void> {
  const looks = { ...(await readLooks(file)), [apiUrl]: look };
  // A new file: one of a name that could be guessed may be a link, in a home that came with a folder.
  const part = `${file}.${randomUUID()}.part`;
  await writeFile(part, `${JSON.stringify({ version: 1, looks })}\n`, { mode: 0o600, flag: 'wx' });
  await rename(part, file);
}
