import { mkdir } from 'node:fs/promises';
import { NoDocument } from '../../api/schema/document.ts';
import { ApiError, type SchemaLook } from '../../api/speech-api.ts';
import { pathsIn } from '../../embedded/home.ts';
import { compareSchemas, isSameSchema, type SchemaChanges } from '../../policy/schema/compare-schemas.ts';
import { createApi } from '../connect-api.ts';
import { VoxbatchError } from '../problem.ts';
import { saveSchemaSnapshot, readSchemaSnapshots } from '../../embedded/schema-snapshots.ts';
import type { ApiAccess, Settings } from '../settings.ts';

/** What the API's description of itself says to voxbatch. */
export interface SchemaReport extends Pick<SchemaLook, 'form' | 'title' | 'version' | 'lacks' | 'unused'> {
  readonly apiUrl: string;
  /** Since the last look; null: this is the first one. */
  readonly changes: (SchemaChanges & { /** ms since 1970. */ readonly since: number }) | null;
  /** True if it has all that voxbatch needs (what only rare kinds of rows need apart), and has not changed. */
  readonly isSound: boolean;
}

/** A report for programs. */
export interface SchemaReportView extends Omit<SchemaReport, 'apiUrl' | 'isSound' | 'changes'> {
  readonly api: string;
  readonly sound: boolean;
  readonly changes: (SchemaChanges & { readonly since: Date }) | null;
}

export function viewSchema({ apiUrl, isSound, changes, ...report }: SchemaReport): SchemaReportView {
  return { api: apiUrl, ...report, sound: isSound, changes: changes && { ...changes, since: new Date(changes.since) } };
}

/**
 * Reads the API's OpenAPI document and compares it with what voxbatch asks of the API, and with the last look. Spends
 * nothing.
 *
 * @param isStrict true: a look that is not sound is not kept, so the next one finds the same
 * @throws VoxbatchError (`no-schema`, `odd-token`, `odd-proxy`)
 */
export async function watchSchema(
  { home }: Settings,
  access: ApiAccess,
  { isStrict }: { readonly isStrict: boolean },
): Promise<SchemaReport> {
  const api = await createApi(access);
  const { baseUrl: apiUrl } = api;
  try {
    const { endpoints, ...look } = await api.lookAtSchema();
    const file = pathsIn(home).schemaSnapshots;
    const last = (await readSchemaSnapshots(file))[apiUrl];
    const differs = last === undefined ? undefined : compareSchemas(last.endpoints, endpoints);
    const isSound = !look.lacks.some(({ isRare }) => !isRare) && (differs === undefined || isSameSchema(differs));
    if (isSound || !isStrict) {
      await mkdir(home, { recursive: true });
      await saveSchemaSnapshot(file, apiUrl, { seenAt: Date.now(), endpoints });
    }
    const changes = last === undefined || differs === undefined ? null : { ...differs, since: last.seenAt };
    return { apiUrl, ...look, changes, isSound };
  } catch (error) {
    if (error instanceof ApiError) throw new VoxbatchError({ type: 'no-schema', apiUrl, why: error.failure.message });
    if (error instanceof NoDocument) throw new VoxbatchError({ type: 'no-schema', apiUrl, why: error.message });
    throw error;
  } finally {
    api.close();
  }
}
