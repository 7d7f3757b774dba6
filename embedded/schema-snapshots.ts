import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import * as z from 'zod';

/** An API's schema as `doctor --api` read it last. */
export interface SchemaSnapshot {
  /** ms since 1970. */
  readonly seenAt: number;
  /** By endpoint: the digest of each of its parts. */
  readonly endpoints: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Content of the file. */
const snapshotFile = z.object({
  version: z.literal(1),
  /** By the address of the API. */
  looks: z.record(
    z.string(),
    z.object({ seenAt: z.number(), endpoints: z.record(z.string(), z.record(z.string(), z.string())) }),
  ),
});

/**
 * Reads the last snapshot of each API, by the API's address. Empty if the file is missing or unreadable; the next
 * snapshot then counts as the first.
 */
export async function readSchemaSnapshots(file: string): Promise<Readonly<Record<string, SchemaSnapshot>>> {
  try {
    return snapshotFile.parse(JSON.parse(await readFile(file, 'utf8'))).looks;
  } catch {
    return {};
  }
}

/** Saves a snapshot as the last one of this API address. */
export async function saveSchemaSnapshot(file: string, apiUrl: string, snapshot: SchemaSnapshot): Promise<void> {
  const looks = { ...(await readSchemaSnapshots(file)), [apiUrl]: snapshot };
  // A random name: in a home that came with somebody else's folder, a guessable name could be a planted link.
  const part = `${file}.${randomUUID()}.part`;
  await writeFile(part, `${JSON.stringify({ version: 1, looks })}\n`, { mode: 0o600, flag: 'wx' });
  await rename(part, file);
}
