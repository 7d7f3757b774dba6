import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { readJson, syncToDisk } from '../files.ts';

/** Version of the manifest's format; raised when it changes incompatibly. */
export const FORM = 1;

const manifestSchema = z.object({
  form: z.int().positive(),
  /** The version of voxbatch that made the backup. */
  version: z.string(),
  /** The random id of the backup. */
  backup: z.string(),
  /** The time whose state the ledger's copy has, ISO 8601. */
  made_at: z.iso.datetime(),
  ledger: z.object({
    id: z.string(),
    /** Path or address of the original ledger. */
    place: z.string(),
    /** Name of the copy in the backup's folder. */
    file: z.string().regex(/^ledger-[\w.-]+\.db$/),
    bytes: z.int().nonnegative(),
    /** Of the copy, hex. */
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    /** Versions of the ledger's tables. */
    tables: z.array(z.string()),
    batches: z.int().nonnegative(),
    /** Of these, batches that were open. */
    open: z.int().nonnegative(),
    rows: z.int().nonnegative(),
  }),
  store: z.object({
    /** Path or address of the original store. */
    place: z.string(),
    /** False for a bucket, whose media are not in the backup. */
    copied: z.boolean(),
    files: z.int().nonnegative(),
    bytes: z.int().nonnegative(),
    /** Files that the ledger names and that the store no longer had. */
    missing: z.int().nonnegative(),
  }),
});

/** The description of a backup, in the file `backup.json` in its folder. */
export type Manifest = z.infer<typeof manifestSchema>;

const formSchema = z.object({ form: z.int(), version: z.string().catch('unknown') });

/**
 * Reads the manifest of a backup; undefined if it is missing or invalid. `too-new`: its format is from a later version
 * of voxbatch, `version`.
 */
export async function readManifest(
  path: string,
): Promise<Manifest | { readonly type: 'too-new'; readonly version: string } | undefined> {
  const found = await readJson(path);
  const { data: known } = formSchema.safeParse(found);
  if (known !== undefined && known.form > FORM) return { type: 'too-new', version: known.version };
  return manifestSchema.safeParse(found).data;
}

/** Writes the manifest, atomically and synced: from then on, the folder holds this backup. */
export async function writeManifest(path: string, manifest: Manifest): Promise<void> {
  const part = `${path}.part`;
  const file = await open(part, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
  await syncToDisk(dirname(path));
}
