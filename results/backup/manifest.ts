import * as z from 'zod';
import { readJson, syncToDisk } from '../files.ts';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The form of the manifest, which a version that changes it raises. */
export const FORM = 1;

const manifestSchema = z.object({
  form: z.int().positive(),
  /** The version of voxbatch that made the backup. */
  version: z.string(),
  /** The random id of the backup. */
  backup: z.string(),
  /** The moment of which the ledger is, ISO 8601. */
  made_at: z.iso.datetime(),
  ledger: z.object({
    id: z.string(),
    /** Where it was. */
    place: z.string(),
    /** Its file in the folder of the backup. */
    file: z.string().regex(/^ledger-[\w.-]+\.db$/),
    bytes: z.int().nonnegative(),
    /** Hex. */
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    /** Versions of its tables. */
    tables: z.array(z.string()),
    batches: z.int().nonnegative(),
    open: z.int().nonnegative(),
    rows: z.int().nonnegative(),
  }),
  store: z.object({
    /** Where it was. */
    place: z.string(),
    /** False for a bucket, whose media are not in the backup. */
    copied: z.boolean(),
    files: z.int().nonnegative(),
    bytes: z.int().nonnegative(),
    /** Files that the ledger names, and that the store had no more. */
    missing: z.int().nonnegative(),
  }),
});

/** What a backup says of itself, in `backup.json`. */
export type Manifest = z.infer<typeof manifestSchema>;

const formSchema = z.object({ form: z.int(), version: z.string().catch('unknown') });

/**
 * Reads it; undefined if there is none that is whole. `too-new`: its form is one of a later version, which is named.
 */
export async function readManifest(
  path: string,
): Promise<Manifest | { readonly type: 'too-new'; readonly version: string } | undefined> {
  const found = await readJson(path);
  const { data: known } = formSchema.safeParse(found);
  if (known !== undefined && known.form > FORM) return { type: 'too-new', version: known.version };
  return manifestSchema.safeParse(found).data;
}

/** Replaces it, whole or not at all: from then on, the folder has this backup. */
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
