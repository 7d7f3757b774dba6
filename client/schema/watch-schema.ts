import { mkdir } from 'node:fs/promises';
import { NoDocument } from '../../api/schema/document.ts';
import { ApiError, type SchemaCheck } from '../../api/speech-api.ts';
import { pathsIn } from '../../embedded/home.ts';
import { compareSchemas, isSameSchema, type SchemaChanges } from '../../policy/schema/compare-schemas.ts';
import { createApi } from '../connect-api.ts';
import { VoxbatchError } from '../problem.ts';
import { saveSchemaSnapshot, readSchemaSnapshots } from '../../embedded/schema-snapshots.ts';
import type { ApiAccess, Settings } from '../settings.ts';

/** What the API's OpenAPI document means for voxbatch. */
export interface SchemaReport extends Pick<SchemaCheck, 'form' | 'title' | 'version' | 'lacks' | 'unused'> {
  readonly apiUrl: string;
  /** Changes since the last check; null for the first check. */
  readonly changes: (SchemaChanges & { /** ms since 1970. */ readonly since: number }) | null;
  /** True if it has everything that voxbatch needs, except for rare kinds of rows, and has not changed. */
  readonly isSound: boolean;
}

/** A report for `--json`. */
export interface SchemaReportView extends Omit<SchemaReport, 'apiUrl' | 'isSound' | 'changes'> {
  readonly api: string;
  readonly sound: boolean;
  readonly changes: (SchemaChanges & { readonly since: Date }) | null;
}

/** Views a report for `--json`. */
export function viewSchema({ apiUrl, isSound, changes, ...report }: SchemaReport): SchemaReportView {
  return { api: apiUrl, ...report, sound: isSound, changes: changes && { ...changes, since: new Date(changes.since) } };
}

/**
 * Reads the API's OpenAPI document, compares it with what voxbatch needs and with the last check, and keeps it for the
 * next one. Spends nothing.
 *
 * @param isStrict do not keep a document with problems or changes, so that the next check reports the same
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
    const { endpoints, ...check } = await api.checkSchema();
    const file = pathsIn(home).schemaSnapshots;
    const last = (await readSchemaSnapshots(file))[apiUrl];
    const differs = last === undefined ? undefined : compareSchemas(last.endpoints, endpoints);
    const isSound = !check.lacks.some(({ isRare }) => !isRare) && (differs === undefined || isSameSchema(differs));
    if (isSound || !isStrict) {
      await mkdir(home, { recursive: true });
      await saveSchemaSnapshot(file, apiUrl, { seenAt: Date.now(), endpoints });
    }
    const changes = last === undefined || differs === undefined ? null : { ...differs, since: last.seenAt };
    return { apiUrl, ...check, changes, isSound };
  } catch (error) {
    if (error instanceof ApiError) throw new VoxbatchError({ type: 'no-schema', apiUrl, why: error.failure.message });
    if (error instanceof NoDocument) throw new VoxbatchError({ type: 'no-schema', apiUrl, why: error.message });
    throw error;
  } finally {
    api.close();
  }
}
